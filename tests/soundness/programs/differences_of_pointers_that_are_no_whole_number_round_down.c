struct three { char bytes[3]; };
struct many { long numbers[3]; };

static long first(struct many many) {
	return many.numbers[0];
}

int f(unsigned char c) {
	static char bytes[64];
	char *from = bytes + 8, *to = bytes + (c & 15);
	struct many many = {{(struct three *)to - (struct three *)from}};
	int r = (int *)to - (int *)from;
	here;
	return r * 100 + first(many);
}
