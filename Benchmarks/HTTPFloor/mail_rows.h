/// The rows of a sign-up with double opt-in, in a database that Enlist has made.
#ifndef HTTPFLOOR_MAIL_ROWS_H
#define HTTPFLOOR_MAIL_ROWS_H

#include <sqlite3.h>
#include <stdbool.h>

#include "request.h"

/// Prepares the four statements of a sign-up, and reads the secret and the next subscriber's id.
///
/// - Returns: Whether it succeeded; otherwise the reason is on standard error.
bool mail_rows_open(sqlite3 *database);

/// Stores a request that has details, within a transaction.
bool mail_rows_store(struct request *request);

/// Reads the next subscriber's id again, after a transaction was rolled back.
void mail_rows_rolled_back(void);

/// Finalizes the statements.
void mail_rows_close(void);

#endif
