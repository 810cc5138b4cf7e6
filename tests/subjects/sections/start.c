/* What runs before main by way of a section, and what assembly adds, is not modelled. */
static int start = 1;

static void begin(void) { start = 5; }

int shifted(int x)
{
	if (x > 1000)
		begin();
	return x + start;
}
