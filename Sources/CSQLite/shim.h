/* The function of SQLite that has variable arguments, which Swift cannot call. */

#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

/* Stops counting the memory in use; SQLITE_MISUSE if the library is in use already. */
static inline int csqlite_disable_memory_statistics (void)
{
  return sqlite3_config (SQLITE_CONFIG_MEMSTATUS, 0);
}

#endif
