/* Atomic types and builtins in one thread, and thread-local variables. */
#include <stdatomic.h>
#include <stdio.h>
static _Thread_local int local = 4;
static __thread char buffer[8] = "thread";
_Atomic int shared; atomic_uchar small; atomic_llong large = 5; atomic_flag flag = ATOMIC_FLAG_INIT; _Atomic(int *) pointer; atomic_bool truth;
struct two { int a, b; }; static _Atomic struct two both;
static int bump(void) { return ++local; }
int main(void) {
  int array[4] = {1, 2, 3, 4};
  atomic_store(&shared, 10); printf("%d %d %d\n", atomic_fetch_add(&shared, 5), atomic_load(&shared), shared++);
  shared *= 3; shared -= 1; shared <<= 2; shared ^= 5; printf("%d\n", shared);
  printf("%d %d\n", atomic_fetch_sub(&small, 1), small); printf("%lld\n", (long long)atomic_exchange(&large, -7)); large |= 3; printf("%lld\n", (long long)large);
  int expected = 3; int ok = atomic_compare_exchange_strong(&shared, &expected, 8); printf("%d %d\n", ok, expected);
  ok = atomic_compare_exchange_strong(&shared, &expected, 8); printf("%d %d\n", ok, shared);
  while (!atomic_compare_exchange_weak(&shared, &expected, expected + 1)); printf("%d\n", shared);
  printf("%d ", atomic_flag_test_and_set(&flag)); printf("%d\n", atomic_flag_test_and_set(&flag)); atomic_flag_clear(&flag);
  pointer = array; atomic_fetch_add(&pointer, 2); printf("%d\n", *pointer); truth = 7; printf("%d\n", truth);
  struct two t = {1, 2}; atomic_store(&both, t); t = atomic_load(&both); printf("%d %d\n", t.a, t.b);
  unsigned u = 0xf0; printf("%x ", __atomic_fetch_nand(&u, 0x3c, __ATOMIC_SEQ_CST)); printf("%x ", __sync_fetch_and_nand(&u, 1)); printf("%x\n", __atomic_or_fetch(&u, 0x100, __ATOMIC_RELAXED));
  int s = -3; printf("%d %d ", __atomic_fetch_min(&s, -5, 0), s); printf("%d %d\n", __atomic_fetch_max(&s, 9, 0), s);
  printf("%u %u ", __atomic_fetch_max(&u, 77u, 0), u); printf("%u %u\n", __atomic_fetch_min(&u, 3u, 0), u);
  printf("%d %d\n", __sync_bool_compare_and_swap(&s, 9, 1), __sync_val_compare_and_swap(&s, 9, 2)); __sync_synchronize(); atomic_thread_fence(memory_order_acquire); atomic_signal_fence(memory_order_seq_cst);
  printf("%d %d\n", __sync_lock_test_and_set(&s, 6), s); __sync_lock_release(&s); printf("%d\n", s);
  int in = 12, out; __atomic_load(&in, &out, __ATOMIC_ACQUIRE); __atomic_store(&s, &in, __ATOMIC_RELEASE); printf("%d %d %d\n", out, s, __atomic_is_lock_free(4, 0));
  printf("%d %d %s\n", bump(), bump(), buffer); buffer[0] = 'T'; printf("%s %d\n", buffer, local);
  return bump();
}
