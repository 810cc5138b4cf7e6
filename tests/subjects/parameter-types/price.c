typedef int number;

number price(number count, short each, float share)
{
  return count * each + (share > 0.5f);
}
