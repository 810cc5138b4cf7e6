#include <stdio.h>


short f(unsigned p1, char p2, unsigned char p3)
{
	int t4 = (((p1 > 63) >> 4) << 2);
	unsigned t5 = (((p1 != 2) - (p1 + p3)) - (((int)(t4)) + (t4 << 4)));
	if ((((p1 >> 0) > 2) || ((p2 + 1) <= (p2 ^ t4)))) {
		p3 -= p2;
		int t6 = p2;
	} else {
		p1 = (((p2 < p1) + !(t5)) * 6);
	}
	printf("x%u\n", ((int)((p3 + p3))));
	return (((p3 == p2) + p1) + p3);
}
