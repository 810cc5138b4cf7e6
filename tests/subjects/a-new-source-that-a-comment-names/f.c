int f(int x) { return x > 3 ? x : 0; }
