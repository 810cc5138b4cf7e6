/* Takes the place of musl's arch/x86_64/syscall_arch.h: every call of the system goes to one
   function outside of the module. The engine models it; natively it is a line of assembly, or
   the world of src/compile/runtime/world. No call goes around it through the vDSO. */
#define __SYSCALL_LL_E(x) (x)
#define __SYSCALL_LL_O(x) (x)

long psychic_syscall(long n, long a, long b, long c, long d, long e, long f);

static inline long __syscall0(long n)
{
	return psychic_syscall(n, 0, 0, 0, 0, 0, 0);
}

static inline long __syscall1(long n, long a)
{
	return psychic_syscall(n, a, 0, 0, 0, 0, 0);
}

static inline long __syscall2(long n, long a, long b)
{
	return psychic_syscall(n, a, b, 0, 0, 0, 0);
}

static inline long __syscall3(long n, long a, long b, long c)
{
	return psychic_syscall(n, a, b, c, 0, 0, 0);
}

static inline long __syscall4(long n, long a, long b, long c, long d)
{
	return psychic_syscall(n, a, b, c, d, 0, 0);
}

static inline long __syscall5(long n, long a, long b, long c, long d, long e)
{
	return psychic_syscall(n, a, b, c, d, e, 0);
}

static inline long __syscall6(long n, long a, long b, long c, long d, long e, long f)
{
	return psychic_syscall(n, a, b, c, d, e, f);
}

#define IPC_64 0
