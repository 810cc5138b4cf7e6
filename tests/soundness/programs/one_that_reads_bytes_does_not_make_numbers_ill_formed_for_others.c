int main(void) {
	int a = 0;
	here;
	if (scanf("%d", &a) != 1)
		return 3;
	printf("%d\n", a);
	return 0;
}
