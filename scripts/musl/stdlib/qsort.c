/* Sorts as glibc does up to 2.36, because a program can see how: elements that compare equal stay
 * in their order, the comparison is called for certain pairs in a certain order, and its arguments
 * are at certain places. This is a merge sort from the top down, the smaller half first,
 * which compares what is still in the array. Elements of more than 32 bytes stay where they are
 * until the end: their addresses are sorted. glibc goes over to a quicksort where the array is
 * larger than a quarter of the memory, which no path here gets to. */
#include <stddef.h>
#include <string.h>

typedef int comparison(const void *, const void *, void *);

struct sorting {
  comparison *compare;
  void *context;
  size_t width;
  /* Whether the elements are the addresses of what is compared. */
  int is_indirect;
  char *spare;
};

static const void *operand(const struct sorting *sorting, const char *element) {
  return sorting->is_indirect ? *(const void *const *)element : element;
}

static void sort(const struct sorting *sorting, char *elements, size_t count) {
  size_t width = sorting->width, low = count / 2, high = count - low;
  char *a = elements, *b = elements + low * width, *to = sorting->spare;
  if (count < 2)
    return;
  sort(sorting, a, low);
  sort(sorting, b, high);
  while (low && high) {
    if (sorting->compare(operand(sorting, a), operand(sorting, b), sorting->context) > 0) {
      /* With another function here than below, the compiler does not make one copy of the two, from
       * one of two addresses: a path that knows which element is less goes on faster. */
      memmove(to, b, width);
      b += width;
      high--;
    } else {
      memcpy(to, a, width);
      a += width;
      low--;
    }
    to += width;
  }
  /* The rest of the second half is in its place already. */
  memcpy(to, a, low * width);
  memcpy(elements, sorting->spare, (count - high) * width);
}

static void sort_all(void *elements, size_t count, size_t width, comparison *compare,
                     void *context) {
  struct sorting sorting = {compare, context, width, width > 32, NULL};
  if (count < 2)
    return;
  if (!sorting.is_indirect) {
    char spare[count * width + 1];
    sorting.spare = spare;
    sort(&sorting, elements, count);
    return;
  }
  char *sorted[count], *spare[count], copy[count * width];
  for (size_t i = 0; i < count; i++)
    sorted[i] = (char *)elements + i * width;
  sorting.spare = (char *)spare;
  sorting.width = sizeof sorted[0];
  sort(&sorting, (char *)sorted, count);
  memcpy(copy, elements, count * width);
  for (size_t i = 0; i < count; i++)
    memcpy((char *)elements + i * width, copy + (sorted[i] - (char *)elements), width);
}

void qsort_r(void *elements, size_t count, size_t width, comparison *compare, void *context) {
  sort_all(elements, count, width, compare, context);
}

static int without_context(const void *a, const void *b, void *compare) {
  return (*(int (**)(const void *, const void *))compare)(a, b);
}

void qsort(void *elements, size_t count, size_t width,
           int (*compare)(const void *, const void *)) {
  sort_all(elements, count, width, without_context, &compare);
}
