#include "random_pool.h"

#include <stddef.h>
#include <sys/random.h>

const unsigned char *random_pool_take(void) {
  static unsigned char bytes[16 * random_pool_length];
  static size_t next = sizeof bytes;
  if (next == sizeof bytes) {
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return NULL;
    next = 0;
  }
  const unsigned char *taken = bytes + next;
  next += random_pool_length;
  return taken;
}
