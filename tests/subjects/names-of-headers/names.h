static const char name[] = __FILE__;
