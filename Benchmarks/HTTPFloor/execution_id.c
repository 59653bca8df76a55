#include "execution_id.h"

#include <string.h>

bool execution_id_make(int64_t time, unsigned char *id) {
  const unsigned char *bytes = random_pool_take();
  if (!bytes) return false;
  for (int index = 0; index < 6; index++) id[index] = (unsigned char)(time >> (40 - 8 * index));
  memcpy(id + 6, bytes, random_pool_length);
  return true;
}

void execution_id_write(const unsigned char *id, char *text) {
  for (int index = 0; index < id_length; index++) {
    *text++ = "0123456789abcdef"[id[index] >> 4];
    *text++ = "0123456789abcdef"[id[index] & 15];
  }
  *text = '\0';
}
