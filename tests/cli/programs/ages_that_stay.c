/* Does to files what changes their times elsewhere, and says how old they are then, and their numbers. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static time_t start;

static void tell(const char *name, const struct stat *status) {
	const int limit = 100;
	time_t age = start - status->st_mtime;
	int is_one = status->st_atime == status->st_mtime && status->st_ctime == status->st_mtime;
	const char *how = age > limit ? "old" : age ? "some" : "none";
	printf("%s: %s%s %d\n", name, how, is_one ? "" : ", three", (int)status->st_ino);
}

static void tell_of(const char *name) {
	struct stat status;
	if (lstat(name, &status) == 0)
		tell(name, &status);
}

int main(void) {
	struct timespec times[2] = {{5, 5}, {6, 6}};
	struct stat status;
	char byte;
	int file = open("a.txt", O_RDWR);
	start = time(NULL);
	read(file, &byte, 1);
	write(file, "x", 1);
	tell_of("a.txt");
	utimensat(AT_FDCWD, "a.txt", times, 0);
	tell_of("a.txt");
	link("a.txt", "link");
	unlink("a.txt");
	tell_of("link");
	fstat(file, &status);
	tell("open", &status);
	unlink("link");
	fstat(file, &status);
	tell("removed", &status);
	close(open("a.txt", O_CREAT | O_WRONLY, 0644));
	tell_of("a.txt");
	rename("sub/b", "c");
	tell_of("c");
	tell_of("sub");
	tell_of("made");
	truncate("made", 0);
	tell_of("made");
	tell_of(".");
	fstat(1, &status);
	tell("output", &status);
	return 0;
}
