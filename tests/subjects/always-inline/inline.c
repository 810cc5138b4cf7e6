/* A call of an inline function takes what another file defines, unless it is always inlined. */
inline int next(int x) { return x + 1; }

int after(int x) { return next(x); }
