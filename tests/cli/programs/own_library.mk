e: e.o libown.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ e.o libown.a
libown.a: own.o
	$(AR) rc $@ own.o
