int next(int x) { return x + 2; }
