/* A program's own functions may have names of the C library. */
unsigned long strlen(const char *text) { return text[0] == 'x'; }

void *memcpy(void *to, const void *from, unsigned long size) { return 0; }

long write(int number) { return number + 1; }

int own(int x) { return write(x) + strlen("xy"); }
