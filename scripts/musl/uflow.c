#include "stdio_impl.h"

/* Takes the place of musl's src/stdio/__uflow.c: among the functions compiled here only
   strtol and its family read a stream, and theirs is a string, which ends before this. */
int __uflow(FILE *f)
{
	(void)f;
	return EOF;
}
