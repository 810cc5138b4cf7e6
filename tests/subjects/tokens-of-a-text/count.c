#include <stdio.h>
#include <string.h>

int main(void)
{
    char text[8];
    char *rest = 0, *token;
    int n = 0;
    if (scanf("%7s", text) != 1)
        return 1;
    for (token = strtok_r(text, ",", &rest); token; token = strtok_r(0, ",", &rest))
        n++;
    printf("%d%s\n", n, rest ? "" : "!");
    return 0;
}
