/* The functions of SQLite that have variable arguments, which Swift cannot call. */

#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

/* Stops counting the memory in use; SQLITE_MISUSE if the library is in use already. */
static inline int csqlite_disable_memory_statistics (void)
{
  return sqlite3_config (SQLITE_CONFIG_MEMSTATUS, 0);
}

/* Lets nothing in a file of another origin run or rewrite the schema: a view or a trigger calls no
   function with side effects, no view is read, and sqlite_schema is changed by CREATE and DROP only.
   A misspelled column in double quotes is an error, not a string. */
static inline void csqlite_distrust_schema (sqlite3 *connection)
{
  static const int settings[] = { SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_VIEW,
                                  SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_DQS_DML };
  sqlite3_db_config (connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *) 0);
  for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
    sqlite3_db_config (connection, settings[i], 0, (int *) 0);
}

/* Makes the end of a connection leave its log as it is. */
static inline int csqlite_disable_checkpoint_on_close (sqlite3 *_Nullable connection)
{
  return sqlite3_db_config (connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *) 0);
}

#endif
