static int inexact(double x, int cleared) { return fetestexcept(FE_INEXACT) ? cleared : x > 90; }

static int tenth(double x) {
#if LATE
  return inexact(x / (feclearexcept(FE_ALL_EXCEPT), 10.0), 1);
#else
  return inexact(x / 10.0, (feclearexcept(FE_ALL_EXCEPT), 1));
#endif
}
