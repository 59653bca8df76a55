#include "statement.h"

#include <stdio.h>

bool statement_is_fine(sqlite3 *database, int code) {
  if (code == SQLITE_OK) return true;
  fprintf(stderr, "HTTPFloor: %s\n", sqlite3_errmsg(database));
  return false;
}

bool statement_prepare(sqlite3 *database, const char *sql, sqlite3_stmt **statement) {
  int code = sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
  return statement_is_fine(database, code);
}

bool statement_run(sqlite3_stmt *statement) {
  bool is_done = sqlite3_step(statement) == SQLITE_DONE;
  sqlite3_reset(statement);
  return is_done;
}
