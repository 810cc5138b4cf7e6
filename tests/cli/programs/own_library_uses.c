int regcomp(void *, const char *, int);
int main(void)
{
	return regcomp(0, "", 0);
}
