/* The identity of a thread, in one instruction on Linux, which Swift cannot express: pthread_self
   returns the same number there, but a call of it costs a tenth of a send. */

#ifndef CTHREADPOINTER_SHIM_H
#define CTHREADPOINTER_SHIM_H

#include <stdint.h>
#ifndef __linux__
#include <pthread.h>
#endif

/* Returns a number that no other living thread has, and that is not 0. */
static inline uintptr_t cthreadpointer_self (void)
{
#ifdef __linux__
  return (uintptr_t) __builtin_thread_pointer ();
#else
  return (uintptr_t) pthread_self ();
#endif
}

#endif
