int ranges(const char *fs) { int v = 0, init = 1;
	while (true) {
		if (isdigit(*fs)) {
			v = 10 * v + *fs - '0';
		} else if (*fs == '-') {
			init = v ? v : 1;
		} else if (*fs == '\0') {
			assert(init != 0);
			break;
		}
		fs++;
	}
	return init;
}
