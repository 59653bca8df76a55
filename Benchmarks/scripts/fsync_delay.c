// Preloaded into a server: fsync and fdatasync take FSYNC_DELAY microseconds longer, as on a disk
// that actually waits until its cache is empty.
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

static int synchronize(const char *name, int descriptor) {
  int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  int result = original(descriptor);
  int error = errno;
  const char *text = getenv("FSYNC_DELAY");
  long microseconds = text ? atol(text) : 0;
  struct timespec delay = {microseconds / 1000000, microseconds % 1000000 * 1000};
  nanosleep(&delay, NULL);
  errno = error;
  return result;
}

int fsync(int descriptor) { return synchronize("fsync", descriptor); }

int fdatasync(int descriptor) { return synchronize("fdatasync", descriptor); }
