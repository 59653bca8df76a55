/// Random bytes for ids, as in the service itself: one call of the kernel gets those of 16 ids.
#ifndef HTTPFLOOR_RANDOM_POOL_H
#define HTTPFLOOR_RANDOM_POOL_H

enum { random_pool_length = 16 };

/// Returns `random_pool_length` bytes that were not returned before, or NULL if there are none.
///
/// They are valid until the next call. Only the writer's thread may call it.
const unsigned char *random_pool_take(void);

#endif
