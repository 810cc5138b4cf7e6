/* An extract of what cut does with its list of ranges, in words of our own: a table with a bit for each
   field or byte that is printed, and marks where a range begins, for the output delimiter. */

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Fields and bytes are numbered from 1. A range has an end, or is open: it goes on to the end of the line.
   What lies between the ends of ranges is in the table; what open ranges print need not be, since it
   is enough to know where the first of them begins. */

/* The most ranges that begin somewhere. */
enum { MARKS = 8 };

/* The number of bits in an element of the table. */
enum { BITS = 8 };

/* The largest end of a range; 0 if all ranges are open. */
static size_t max_range_endpoint;

/* Where the range begins that goes on to the end of the line; 0 if there is none. */
static size_t eol_range_start;

/* The bits of what is printed. */
static unsigned char *printable_field;

/* Where ranges begin. */
static size_t marks[MARKS], marked;

/* Says that something is printed. */
static void mark_printable_field(size_t i)
{
	printable_field[i / BITS] |= 1 << i % BITS;
}

/* Whether something is printed. */
static bool is_printable_field(size_t i)
{
	return printable_field[i / BITS] >> i % BITS & 1;
}

/* Notes that a range begins. */
static void mark_range_start(size_t i)
{
	marks[marked++] = i;
}

/* Makes the table for one range from 1 to END (none if that is 0) and one from START to the end of the
   line (none if that is 0), and returns the number of marks. */
int set_fields(unsigned end, unsigned start, bool output_delimiter_specified, bool complement)
{
	max_range_endpoint = end;
	eol_range_start = start;

	if (max_range_endpoint < eol_range_start)
		max_range_endpoint = eol_range_start;

	marked = 0;
	printable_field = calloc(max_range_endpoint / BITS + 1, 1);

	for (size_t i = 1; i <= end; i++)
		mark_printable_field(i);

	if (output_delimiter_specified && !complement
	    && eol_range_start
	    && !is_printable_field(eol_range_start))
		mark_range_start(eol_range_start);

	return marked;
}
