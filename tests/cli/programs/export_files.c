#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	FILE *data = fopen("data", "rb"), *copy = fopen("made \\\n\"", "wb");
	int c, n = 0, first = getchar();
	while ((c = fgetc(data)) != EOF) {
		fputc(c ^ 0x80, copy);
		n += c == 'a';
	}
	fclose(copy);
	chmod("sub/tool", 0640);
	unlink("known");
	mkdir("new", 0750);
	symlink("known \xff", "link");
	link("sub/tool", "tool");
	if (first == 'x')
		rename("new", "old");
	printf("%d\n", n);
	return n > 1;
}
