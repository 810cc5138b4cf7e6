static int given;

__attribute__((constructor)) static void count(int argc, char **argv) { given = argc > 0 && argv[0]; }

int f(int x) { return x + given; }
