/* Says how old one file is, whether it is newer than another, and what time of the day it is. */
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#define DAY 86400

static int is_old(time_t age) {
	return age > DAY;
}

static int is_newer(const struct stat *file, const struct stat *other) {
	return file->st_mtime > other->st_mtime;
}

static int is_morning(time_t now) {
	return now / 3600 % 24 < 12;
}

int main(void) {
	struct stat file, other;
	time_t now = time(NULL);
	if (stat("a.txt", &file) || stat("sub/b", &other))
		return 2;
	puts(is_old(now - file.st_mtime) ? "old" : "young");
	puts(is_newer(&file, &other) ? "newer" : "older");
	puts(is_morning(now) ? "morning" : "evening");
	return 0;
}
