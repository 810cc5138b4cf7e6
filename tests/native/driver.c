/* Runs every revision of a subject, each built on its own, on many inputs in one process,
   and finds which pairs ever differ. compare.py builds it together with a shim:

   driver INPUTS RECORD LIMIT_MS MAX_HANGS REVISION.so...

   INPUTS is a file of records of RECORD bytes. For each the shim's psychic_call runs the
   subject's entry. Prints "pair A B INPUT" for each pair that differs, INPUT being the
   number of the first input on which it does, "dropped A INPUT" for a revision that
   looped without end MAX_HANGS times and is not run after that, and "outcome A INPUT TEXT"
   for what both sides of a pair did. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>

enum { MAX_REVISIONS = 256, MAX_SEGMENTS = 8, MAX_RECORD = 4096, TICK_MS = 10 };

struct segment {
	char *start, *pristine;
	size_t size;
};

struct revision {
	void *entry;
	struct segment segments[MAX_SEGMENTS];
	int segment_count, hangs, dropped;
};

struct outcome {
	const char *kind;
	long code;
	uint64_t output;
	char text[200];
};

/* From the shim: calls the entry on a record, which it may change; its result is the
   value returned. */
extern long psychic_call(void *entry, char *record);
/* From the shim: the text that the record stands for on standard input, or none. */
extern int psychic_stdin(const char *record, char *text, int size);
extern const char psychic_entry[];
extern const int psychic_stderr;

static struct revision revisions[MAX_REVISIONS];
static sigjmp_buf escape;
static volatile sig_atomic_t running, ticks;
static int max_ticks;
static FILE *nothing, *output;
static char *printed;
static size_t printed_size;

/* The revisions are built with exit defined as this. */
_Noreturn void psychic_exit(int status)
{
	fflush(NULL);
	siglongjmp(escape, 0x1000 | (status & 0xff));
}

/* One timer ticks all the time: arming one for each run would cost more than the run. */
static void on_tick(int number)
{
	if (running && ++ticks > max_ticks)
		siglongjmp(escape, number);
}

static void on_signal(int number)
{
	if (!running) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	siglongjmp(escape, number);
}

static uint64_t hash(uint64_t seed, const void *data, size_t size)
{
	const unsigned char *bytes = data;
	for (size_t i = 0; i < size; i++)
		seed = (seed ^ bytes[i]) * 0x100000001b3u;
	return seed;
}

static int remember_segments(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	struct revision *revision = data;
	Dl_info where;
	struct link_map *map;
	if (!dladdr1(revision->entry, &where, (void **)&map, RTLD_DL_LINKMAP))
		return 0;
	if (map->l_addr != info->dlpi_addr || info->dlpi_name[0] == 0)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		if (header->p_type != PT_LOAD || !(header->p_flags & PF_W))
			continue;
		if (revision->segment_count == MAX_SEGMENTS) {
			fprintf(stderr, "too many segments\n");
			exit(2);
		}
		struct segment *segment = &revision->segments[revision->segment_count++];
		uintptr_t start = info->dlpi_addr + header->p_vaddr;
		uintptr_t end = start + header->p_memsz;
		/* What is read-only after relocation may not be written, nor can it change. */
		for (int j = 0; j < info->dlpi_phnum; j++) {
			const ElfW(Phdr) *relro = &info->dlpi_phdr[j];
			uintptr_t first = info->dlpi_addr + relro->p_vaddr;
			if (relro->p_type == PT_GNU_RELRO && first == start)
				start = (first + relro->p_memsz + 4095) & ~(uintptr_t)4095;
		}
		if (start >= end) {
			revision->segment_count--;
			continue;
		}
		segment->start = (char *)start;
		segment->size = end - start;
		segment->pristine = malloc(segment->size);
		memcpy(segment->pristine, segment->start, segment->size);
	}
	return 1;
}

static void load(struct revision *revision, const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	revision->entry = dlsym(handle, psychic_entry);
	if (!revision->entry) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	dl_iterate_phdr(remember_segments, revision);
}

static void restart_output(void)
{
	if (output)
		fclose(output);
	free(printed);
	printed = NULL;
	printed_size = 0;
	output = open_memstream(&printed, &printed_size);
}

static struct outcome run(struct revision *revision, const char *input, size_t size, int verbose)
{
	static char record[MAX_RECORD], text[MAX_RECORD];
	FILE *real_stdin = stdin, *real_stdout = stdout, *real_stderr = stderr;
	struct outcome outcome = {0};

	memcpy(record, input, size);
	for (int i = 0; i < revision->segment_count; i++)
		memcpy(revision->segments[i].start, revision->segments[i].pristine,
			revision->segments[i].size);
	int length = psychic_stdin(record, text, sizeof text);
	FILE *in = length > 0 ? fmemopen(text, (size_t)length, "r") : nothing;
	stdin = in;
	stdout = output;
	stderr = psychic_stderr ? output : nothing;
	ticks = 0;
	int why = sigsetjmp(escape, 0);
	if (why == 0) {
		running = 1;
		outcome.code = psychic_call(revision->entry, record);
		outcome.kind = "returned";
	} else if (why & 0x1000) {
		outcome.code = why & 0xff;
		outcome.kind = "exited";
	} else if (why == SIGVTALRM) {
		outcome.kind = "hung";
	} else {
		outcome.code = why;
		outcome.kind = "killed";
	}
	running = 0;
	stdin = real_stdin;
	stdout = real_stdout;
	stderr = real_stderr;
	if (in != nothing)
		fclose(in);
	fflush(output);
	int hung = !strcmp(outcome.kind, "hung");
	/* What was printed is seen however the program ends. Of a loop that prints, how far it
	   came is chance. */
	size_t seen = hung && printed_size > MAX_RECORD ? MAX_RECORD : printed_size;
	/* Where the entry is main, returning from it and calling exit are the same. */
	if (!strcmp(psychic_entry, "psychic_main") && !strcmp(outcome.kind, "returned")) {
		outcome.kind = "exited";
		outcome.code &= 0xff;
	}
	outcome.output = hash(0xcbf29ce484222325u, printed, seen);
	if (!strcmp(outcome.kind, "returned"))
		outcome.output = hash(outcome.output, record, size);
	if (verbose) {
		snprintf(outcome.text, sizeof outcome.text, "%s %ld %.*s", outcome.kind,
			outcome.code, (int)seen, printed);
		for (char *c = outcome.text; *c; c++)
			if (*c == '\n')
				*c = ' ';
	}
	if (printed_size > 0)
		restart_output();
	return outcome;
}

static int same(const struct outcome *a, const struct outcome *b)
{
	return !strcmp(a->kind, b->kind) && a->code == b->code && a->output == b->output;
}

int main(int argc, char **argv)
{
	if (argc < 6 || argc - 5 > MAX_REVISIONS) {
		fprintf(stderr, "usage: driver INPUTS RECORD LIMIT_MS MAX_HANGS REVISION.so...\n");
		return 2;
	}
	size_t size = strtoul(argv[2], NULL, 10);
	max_ticks = (int)strtol(argv[3], NULL, 10) / TICK_MS;
	int max_hangs = (int)strtol(argv[4], NULL, 10);
	int count = argc - 5;
	if (size > MAX_RECORD) {
		fprintf(stderr, "a record of %zu bytes is too long\n", size);
		return 2;
	}
	for (int i = 0; i < count; i++)
		load(&revisions[i], argv[5 + i]);

	int file = open(argv[1], O_RDONLY);
	struct stat status;
	if (file < 0 || fstat(file, &status)) {
		perror(argv[1]);
		return 2;
	}
	size_t inputs = (size_t)status.st_size / size;
	const char *records = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (records == MAP_FAILED) {
		perror(argv[1]);
		return 2;
	}

	nothing = fopen("/dev/null", "r+");
	restart_output();
	stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
	sigaltstack(&stack, NULL);
	/* Handlers are left by a jump that does not restore the mask: nothing may be masked. */
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
	static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		sigaction(deadly[i], &action, NULL);
	action.sa_handler = on_tick;
	sigaction(SIGVTALRM, &action, NULL);
	struct itimerval timer = {
		.it_interval = {0, TICK_MS * 1000}, .it_value = {0, TICK_MS * 1000},
	};
	setitimer(ITIMER_VIRTUAL, &timer, NULL);

	static char differ[MAX_REVISIONS][MAX_REVISIONS];
	static struct outcome outcomes[MAX_REVISIONS], described[MAX_REVISIONS];
	for (size_t n = 0; n < inputs; n++) {
		const char *input = records + n * size;
		for (int r = 0; r < count; r++) {
			struct revision *revision = &revisions[r];
			if (revision->dropped)
				continue;
			outcomes[r] = run(revision, input, size, 0);
			if (!strcmp(outcomes[r].kind, "hung"))
				revision->hangs++;
		}
		/* Only what differs is described, and once: a loop without end takes its time. */
		for (int r = 0; r < count; r++)
			described[r].kind = NULL;
		for (int a = 0; a < count; a++) {
			for (int b = a + 1; b < count; b++) {
				if (differ[a][b] || revisions[a].dropped || revisions[b].dropped ||
					same(&outcomes[a], &outcomes[b]))
					continue;
				differ[a][b] = 1;
				printf("pair %d %d %zu\n", a, b, n);
				const int both[] = {a, b};
				for (int i = 0; i < 2; i++) {
					struct outcome *known = &described[both[i]];
					if (known->kind)
						continue;
					*known = run(&revisions[both[i]], input, size, 1);
					printf("outcome %d %zu %s\n", both[i], n, known->text);
				}
			}
		}
		for (int r = 0; r < count; r++) {
			if (!revisions[r].dropped && revisions[r].hangs >= max_hangs) {
				revisions[r].dropped = 1;
				printf("dropped %d %zu\n", r, n);
			}
		}
	}
	return 0;
}
