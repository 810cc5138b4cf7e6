/* One path cannot be followed, so other inputs are tried for the pairs that it leaves open. */
int main(void) {
	unsigned char bytes[4] = {0};
	int count = fread(bytes, 1, 4, stdin), most = 4;
	here;
	if (count < most)
		puts("short");
	if (bytes[1] == 'x')
		return sleep(0) & 1;
	return bytes[0] > 'm';
}
