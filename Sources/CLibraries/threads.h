/* The name of a thread: prctl is variadic. */

#ifndef CTHREADS_SHIM_H
#define CTHREADS_SHIM_H

#include <sys/prctl.h>

/* Names the calling thread, for debuggers and `top -H`; at most 15 characters. */
static inline void cthreads_name (const char *_Nonnull name)
{
  (void) prctl (PR_SET_NAME, name, 0, 0, 0);
}

#endif
