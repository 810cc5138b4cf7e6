/* Takes the place of musl's src/internal/lock.h: the engine runs one thread. */
#define LOCK(x) ((void)(x))
#define UNLOCK(x) ((void)(x))
