# The setjmp family, which the engine has built in, as in musl's src/setjmp and src/signal.
	.text
	.global setjmp, _setjmp, __setjmp
setjmp:
_setjmp:
__setjmp:
	mov %rbx, (%rdi)
	mov %rbp, 8(%rdi)
	mov %r12, 16(%rdi)
	mov %r13, 24(%rdi)
	mov %r14, 32(%rdi)
	mov %r15, 40(%rdi)
	lea 8(%rsp), %rdx
	mov %rdx, 48(%rdi)
	mov (%rsp), %rdx
	mov %rdx, 56(%rdi)
	xor %eax, %eax
	ret

	.global longjmp, _longjmp
longjmp:
_longjmp:
	mov %rdi, %rdx
	mov %esi, %eax
	test %eax, %eax
	jnz 1f
	inc %eax
1:	mov (%rdx), %rbx
	mov 8(%rdx), %rbp
	mov 16(%rdx), %r12
	mov 24(%rdx), %r13
	mov 32(%rdx), %r14
	mov 40(%rdx), %r15
	mov 48(%rdx), %rsp
	jmp *56(%rdx)

# The signal mask lies behind the registers and a flag that says whether it was kept
# (struct __jmp_buf_tag): sigsetjmp reads it, siglongjmp sets it, with rt_sigprocmask.
	.global sigsetjmp, __sigsetjmp
sigsetjmp:
__sigsetjmp:
	movslq %esi, %rax
	mov %rax, 64(%rdi)
	test %esi, %esi
	jz setjmp
	push %rdi
	lea 72(%rdi), %rdx
	xor %esi, %esi
	call mask
	pop %rdi
	jmp setjmp

	.global siglongjmp
siglongjmp:
	cmpq $0, 64(%rdi)
	je longjmp
	push %rdi
	push %rsi
	push %rsi
	lea 72(%rdi), %rsi
	xor %edx, %edx
	call mask
	pop %rsi
	pop %rsi
	pop %rdi
	jmp longjmp

# rt_sigprocmask(SIG_SETMASK, rsi, rdx, 8)
mask:
	mov $14, %edi
	xchg %rdx, %rcx
	mov %rsi, %rdx
	mov $2, %esi
	mov $8, %r8d
	xor %r9d, %r9d
	push $0
	call psychic_syscall
	add $8, %rsp
	ret

# What a signal handler returns to: rt_sigreturn.
	.global __restore_rt, __restore
__restore_rt:
__restore:
	mov $15, %eax
	syscall
	.section .note.GNU-stack,"",@progbits
