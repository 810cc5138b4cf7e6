#include <stdio.h>

int main(void)
{
    int age;

    if (scanf("%d", &age) != 1 || age < 0)
        return 1;
    if (age < 6)
        puts("free");
    else if (age < 18 || age > 65)
        puts("reduced");
    else
        puts("full");
    return 0;
}
