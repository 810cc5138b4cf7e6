enum { OTHER = sizeof __FILE__ };
