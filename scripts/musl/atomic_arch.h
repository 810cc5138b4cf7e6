/* Takes the place of musl's arch/x86_64/atomic_arch.h: builtins where that has inline
   assembly, which the engine does not run. atomic.h derives the rest from these. */
#define a_cas a_cas
static inline int a_cas(volatile int *p, int expected, int desired)
{
	return __sync_val_compare_and_swap(p, expected, desired);
}

#define a_cas_p a_cas_p
static inline void *a_cas_p(volatile void *p, void *expected, void *desired)
{
	return __sync_val_compare_and_swap((void *volatile *)p, expected, desired);
}

#define a_crash a_crash
static inline void a_crash(void)
{
	__builtin_trap();
}

#define a_ctz_32 a_ctz_32
static inline int a_ctz_32(uint32_t x)
{
	return __builtin_ctz(x);
}

#define a_ctz_64 a_ctz_64
static inline int a_ctz_64(uint64_t x)
{
	return __builtin_ctzll(x);
}

#define a_clz_64 a_clz_64
static inline int a_clz_64(uint64_t x)
{
	return __builtin_clzll(x);
}
