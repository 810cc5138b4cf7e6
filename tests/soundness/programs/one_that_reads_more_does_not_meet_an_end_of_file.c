int main(void) {
	int a = 0, b = 0;
	scanf("%d", &a);
	here;
	printf("%d\n", a);
	return 0;
}
