#define MORE 5
