#include <fcntl.h>
int say(const char *, const char *);

int main(int argc, char **argv)
{
	int copy = fcntl(1, F_DUPFD_CLOEXEC, 2 + argc);
	return say(fcntl(copy, F_SETFD, argc - 1) ? "no" : "yes", copy == 3 ? "3" : "other");
}
