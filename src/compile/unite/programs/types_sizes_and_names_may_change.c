static int early;
__attribute__((constructor)) static void start(void)
{
	early = printf("early\n");
}
