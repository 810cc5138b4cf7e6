#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	mkdir("made", 0755);
	unlink("old");
	chmod("given", 0644);
	symlink("given", "name");
	return 0;
}
