// Runs a program on many inputs, each in a process of its own: runner PROGRAM INPUTS MILLISECONDS MIB
//
// INPUTS is a number of inputs, and for each its arguments (a number, and each as a length and
// bytes) and its standard input (a length and bytes). Prints for each how it ended (an exit code,
// 256 and a signal, 512 where it was stopped) and two texts, standard output and error. All numbers
// are 32 bits in the machine's order.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 16, MOST_OUTPUT = 1 << 18, STOPPED = 512 };

static FILE *inputs;

static uint32_t number(void)
{
	uint32_t n;
	if (fread(&n, sizeof n, 1, inputs) != 1)
		exit(3);
	return n;
}

static char *bytes(uint32_t length)
{
	char *text = calloc(length + 1, 1);
	if (fread(text, 1, length, inputs) != length)
		exit(3);
	return text;
}

static void limit(int what, rlim_t most)
{
	struct rlimit both = {most, most};
	setrlimit(what, &both);
}

static void begin(char **arguments, const char *program, int in, int out, int err, int milliseconds, long mib)
{
	static char *environment[] = {"ASAN_OPTIONS=detect_leaks=0", "UBSAN_OPTIONS=print_stacktrace=0", NULL};
	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, MOST_OUTPUT);
	limit(RLIMIT_CPU, 10 + milliseconds / 1000);
	if (mib)
		limit(RLIMIT_AS, (rlim_t)mib << 20);
	// Timers live on in the program; one of processor time does not depend on other processes.
	struct itimerval timer = {{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
	setitimer(ITIMER_PROF, &timer, NULL);
	alarm(20 + milliseconds / 100);
	execve(program, arguments, environment);
	_exit(127);
}

static void print(int file)
{
	struct stat status;
	fstat(file, &status);
	uint32_t length = status.st_size;
	char *text = malloc(length + 1);
	if (pread(file, text, length, 0) != length)
		exit(3);
	fwrite(&length, sizeof length, 1, stdout);
	fwrite(text, 1, length, stdout);
	free(text);
}

int main(int argc, char **argv)
{
	if (argc != 5 || !(inputs = fopen(argv[2], "rb")))
		return 2;
	for (uint32_t left = number(); left; left--) {
		char *arguments[MOST_ARGUMENTS + 2] = {"program"};
		uint32_t count = number();
		if (count > MOST_ARGUMENTS)
			return 3;
		for (uint32_t i = 0; i < count; i++)
			arguments[i + 1] = bytes(number());
		uint32_t length = number();
		char *text = bytes(length);
		int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC);
		int err = memfd_create("err", MFD_CLOEXEC);
		if (in < 0 || out < 0 || err < 0 || pwrite(in, text, length, 0) != length)
			return 3;
		pid_t child = vfork();
		if (!child)
			begin(arguments, argv[1], in, out, err, atoi(argv[3]), atol(argv[4]));
		int status;
		if (child < 0 || waitpid(child, &status, 0) != child)
			return 3;
		uint32_t end = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
		if (end == 256 + SIGPROF || end == 256 + SIGALRM || end == 256 + SIGXFSZ || end == 256 + SIGXCPU)
			end = STOPPED;
		fwrite(&end, sizeof end, 1, stdout);
		print(out);
		print(err);
		close(in), close(out), close(err);
		for (uint32_t i = 0; i < count; i++)
			free(arguments[i + 1]);
		free(text);
	}
	return 0;
}
