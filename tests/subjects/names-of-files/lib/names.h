enum { LENGTH = sizeof __FILE__, LEVEL = __INCLUDE_LEVEL__, BASE = sizeof __BASE_FILE__ };
