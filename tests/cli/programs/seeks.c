#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

int main(void)
{
	struct dirent **names;
	int count = scandir("sub", &names, 0, alphasort);
	for (int i = 0; i < count; i++) {
		struct stat status;
		char path[300];
		snprintf(path, sizeof path, "sub/%s", names[i]->d_name);
		if (lstat(path, &status) == 0)
			printf("%s %o %ld\n", path, status.st_mode, (long)status.st_size);
	}
	FILE *given = fopen("link", "r+"), *symbolic = fopen("numbers", "r");
	if (!given || !symbolic)
		return 2;
	int c = getc(symbolic), known = getc(given);
	if (c == '7')
		puts("seven");
	fseek(given, 0, SEEK_END);
	putc(known, given);
	return 0;
}
