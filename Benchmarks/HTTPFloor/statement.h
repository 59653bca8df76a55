/// Statements of SQLite that are prepared once.
#ifndef HTTPFLOOR_STATEMENT_H
#define HTTPFLOOR_STATEMENT_H

#include <sqlite3.h>
#include <stdbool.h>

/// Returns whether a call of SQLite succeeded; if not, prints the reason to standard error.
bool statement_is_fine(sqlite3 *database, int code);

/// Prepares a statement for many executions.
///
/// - Returns: Whether it succeeded; otherwise the reason is on standard error.
bool statement_prepare(sqlite3 *database, const char *sql, sqlite3_stmt **statement);

/// Executes a statement without rows, and resets it.
bool statement_run(sqlite3_stmt *statement);

#endif
