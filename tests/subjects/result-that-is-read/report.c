int saved;
void report(int level)
{
	saved = level + 1;
}
