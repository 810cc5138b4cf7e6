/* KLEE's intrinsics that mean the same in a native run. */
#include <assert.h>
#include <klee/klee.h>

int main(void)
{
	int x = klee_int("x"), y = klee_range(0, 10, "y");
	char c;

	klee_make_symbolic(&c, sizeof c, "c");
	klee_assume(x > 3);
	klee_prefer_cex(&c, c == 'a');
	klee_warning("seen");
	klee_warning_once("seen");
	klee_print_expr("x", x);
	klee_open_merge();
	if (c == 'q')
		x++;
	klee_close_merge();
	klee_check_memory_access(&x, sizeof x);
	uintptr_t k = klee_choose(3);
	assert(k < 3);
	if (klee_get_value_i32(y) == 7)
		return k + 1;
	return x == 5;
}
