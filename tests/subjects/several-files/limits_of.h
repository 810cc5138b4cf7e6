#define LIMIT 100
int above(int x);
