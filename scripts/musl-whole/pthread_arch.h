/* Takes the place of musl's arch/x86_64/pthread_arch.h: there is one thread, and its pointer is
   a variable like others, not a register of the machine. */
extern uintptr_t __thread_pointer;

static inline uintptr_t __get_tp()
{
	return __thread_pointer;
}

#define MC_PC gregs[REG_RIP]
