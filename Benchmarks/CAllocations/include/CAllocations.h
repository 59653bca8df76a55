#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// Counts the allocations of the whole process, on all threads, between start and stop.
///
/// The functions of malloc are wrapped for the executable that links this, and for every library
/// that it loads, the Swift runtime included. Where they cannot be wrapped (another C library than
/// glibc, a sanitizer) nothing is counted, and `allocations_can_be_counted` says so.

/// Whether this build counts at all.
bool allocations_can_be_counted(void);

/// Starts counting from zero. Until then, and after `allocations_stop`, a call of malloc costs one
/// load more than without this library.
void allocations_start(void);

/// Stops counting, and returns the number of allocations since `allocations_start`.
uint64_t allocations_stop(void);

/// The number of bytes that are allocated at this moment; 0 where allocations cannot be counted.
uint64_t allocations_live_bytes(void);

#endif
