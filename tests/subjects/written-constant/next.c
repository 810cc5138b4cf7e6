static const int step = 3;

int next(int x)
{
  if (x == 4)
    *(int *)&step = 5;
  return x + *(volatile const int *)&step;
}
