/* Answers records of an operation, two indices and three operands of 16 bytes each. The first
   index has the rounding mode, as the control word has it, in its upper half. Asked for an
   operation of 128 more it answers with the exceptions that it raises. */
#include <fenv.h>
#include <stdio.h>
#define EACH(F) \
    F(0, h, _Float16, f, float) F(1, f, float, f, float) F(2, d, double, , double) \
    F(3, x, long double, l, long double) F(4, q, __float128, f128, __float128)
#define EACH_INT(F) \
    F(0, s8, signed char) F(1, u8, unsigned char) F(2, s32, int) F(3, u32, unsigned) \
    F(4, s64, long) F(5, u64, unsigned long) F(6, s128, __int128) F(7, u128, unsigned __int128)
#define MEMBER(index, name, type, ...) type name;
#define DECLARE(index, name, type, suffix, wide) \
    wide sqrt##suffix(wide), floor##suffix(wide), ceil##suffix(wide), trunc##suffix(wide), \
        round##suffix(wide), roundeven##suffix(wide), fma##suffix(wide, wide, wide), \
        rint##suffix(wide);
EACH(DECLARE)
typedef union { EACH(MEMBER) EACH_INT(MEMBER) unsigned char bytes[16]; } Value;
#define TO(index, name, type) case index: r.name = (type)x; break;
#define TO_FLOAT \
    TO(0, h, _Float16) TO(1, f, float) TO(2, d, double) TO(3, x, long double) TO(4, q, __float128)
#define RUN(index, name, type, suffix, wide) \
    static int strictly_##name(type x, type y) { \
        _Pragma("STDC FENV_ACCESS ON") \
        return x < y; \
    } \
    static Value run_##name(int op, int target, Value a, Value b, Value c) { \
        Value r = {0}; \
        type x = a.name, y = b.name, z = c.name; \
        switch (op) { \
        case 0: r.name = x + y; break; \
        case 1: r.name = x - y; break; \
        case 2: r.name = x * y; break; \
        case 3: r.name = x / y; break; \
        case 4: r.u8 = x == y; break; \
        case 5: r.u8 = x < y; break; \
        case 6: r.u8 = x <= y; break; \
        case 7: r.name = (type)sqrt##suffix(x); break; \
        case 8: r.name = (type)roundeven##suffix(x); break; \
        case 9: r.name = (type)round##suffix(x); break; \
        case 10: r.name = (type)trunc##suffix(x); break; \
        case 11: r.name = (type)ceil##suffix(x); break; \
        case 12: r.name = (type)floor##suffix(x); break; \
        case 13: r.name = (type)fma##suffix(x, y, z); break; \
        case 14: r.name = (type)rint##suffix(x); break; \
        case 15: switch (target) { TO_FLOAT } break; \
        case 16: switch (target) { EACH_INT(TO) } break; \
        case 18: r.u8 = __builtin_isless(x, y); break; \
        case 19: r.u8 = strictly_##name(x, y); break; \
        } \
        return r; \
    }
EACH(RUN)
#define FROM(index, name, type) \
    static Value from_##name(int target, Value a) { \
        Value r = {0}; \
        type x = a.name; \
        switch (target) { TO_FLOAT } \
        return r; \
    }
EACH_INT(FROM)
#define CALL(index, name, ...) case index: r = run_##name(op, head[2], v[0], v[1], v[2]); break;
#define CALL_FROM(index, name, ...) case index: r = from_##name(head[2], v[0]); break;
static unsigned raised(void) {
    unsigned control;
    unsigned short status;
    __asm__ volatile("stmxcsr %0\n\tfnstsw %1" : "=m"(control), "=a"(status));
    return (control | status) & 63;
}
static void clear(void) {
    unsigned control;
    __asm__ volatile("fnclex\n\tstmxcsr %0" : "=m"(control));
    control &= ~63;
    __asm__ volatile("ldmxcsr %0" : : "m"(control));
}
int main(void) {
    unsigned char head[3];
    Value v[3], r;
    while (fread(head, 3, 1, stdin) == 1 && fread(v, sizeof v, 1, stdin) == 1) {
        int op = head[0] & 127;
        fesetround(head[1] >> 4 << 10);
        clear();
        if (op == 17)
            switch (head[1] & 15) { EACH_INT(CALL_FROM) }
        else
            switch (head[1] & 15) { EACH(CALL) }
        if (head[0] > 127)
            r = (Value){.u8 = raised()};
        fesetround(FE_TONEAREST);
        fwrite(&r, sizeof r, 1, stdout);
    }
}
