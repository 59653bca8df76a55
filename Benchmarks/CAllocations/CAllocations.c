#include "CAllocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

// A sanitizer has its own malloc, which must not be replaced.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define LEAVES_MALLOC_ALONE
#endif
#endif
#if !defined(__GLIBC__)
#define LEAVES_MALLOC_ALONE
#else
#include <malloc.h>
#endif

static atomic_bool is_counting;
static atomic_uint_fast64_t count;

void allocations_start(void) {
  atomic_store(&count, 0);
  atomic_store(&is_counting, true);
}

uint64_t allocations_stop(void) {
  atomic_store(&is_counting, false);
  return atomic_load(&count);
}

#ifdef LEAVES_MALLOC_ALONE

bool allocations_can_be_counted(void) { return false; }

uint64_t allocations_live_bytes(void) { return 0; }

#else

bool allocations_can_be_counted(void) { return true; }

uint64_t allocations_live_bytes(void) { return mallinfo2().uordblks; }

// The names under which glibc keeps its own functions when a program redefines them.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static inline void note(void) {
  if (atomic_load_explicit(&is_counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  }
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note();
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  note();
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment == 0 || alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) {
    return EINVAL;
  }
  note();
  void *allocated = __libc_memalign(alignment, size);
  if (allocated == NULL) { return ENOMEM; }
  *block = allocated;
  return 0;
}

#endif
