/* Takes the place of musl's arch/x86_64/crt_arch.h: a module begins with the C function
   _start_c, to which the engine, or natively start.s, hands the initial stack. */
