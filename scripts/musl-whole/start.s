# Where the kernel enters a native program: hands the initial stack to psychic_start.
	.text
	.global _start
_start:
	xor %ebp, %ebp
	mov %rsp, %rdi
	and $-16, %rsp
	call psychic_start
	hlt
	.section .note.GNU-stack,"",@progbits
