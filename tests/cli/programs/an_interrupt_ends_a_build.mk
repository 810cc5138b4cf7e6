all: bin/greet
bin/greet: main.o say.o
	$(CC) $(CFLAGS) $^ $(LDFLAGS) -o $@
main.o: main.c config.h
	if grep -q nobody main.c; then touch $$PSYCHIC_SUBJECT/slow; sleep 4321; fi
	$(CC) $(CFLAGS) -c main.c -o main.o
