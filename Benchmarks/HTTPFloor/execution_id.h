/// Ids as Enlist makes them: 48 bits of time in milliseconds, so that rows are appended, and 128
/// random bits.
#ifndef HTTPFLOOR_EXECUTION_ID_H
#define HTTPFLOOR_EXECUTION_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "random_pool.h"

enum { id_length = 6 + random_pool_length };

/// Writes the bytes of a new id; returns whether there were random bytes for it.
bool execution_id_make(int64_t time, unsigned char *id);

/// Writes an id as hexadecimal digits and a zero byte.
void execution_id_write(const unsigned char *id, char *text);

#endif
