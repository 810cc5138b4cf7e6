#include <stdio.h>
typedef int (*fn)(int);
int f(int x);
fn table[1] = { f };
int f(int x)
{
    int k = __LINE__;
    if (table[0] == f)
        return x + k;
    return x - 1 + k;
}
int main(void)
{
    int x;
    if (scanf("%d", &x) != 1)
        return 1;
    printf("%d\n", f(x) & 0xffff);
    return 0;
}
