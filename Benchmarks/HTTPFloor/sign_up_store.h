/// The list in SQLite: two or three rows per sign-up, and no response before it is on disk.
#ifndef HTTPFLOOR_SIGN_UP_STORE_H
#define HTTPFLOOR_SIGN_UP_STORE_H

#include <stdbool.h>

#include "request.h"

/// Opens the database with a write-ahead log and `synchronous=FULL`.
///
/// - Parameter with_outbox: Whether each sign-up also queues a mail. Then requests need details,
///   and the database must have been made by Enlist; otherwise this function makes its tables.
/// - Returns: Whether it succeeded; otherwise the reason is on standard error.
bool sign_up_store_open(const char *path, bool with_outbox);

/// Stores requests, at most 256 to a transaction, and resumes them with their status set.
///
/// - Parameter first: The first request of a chain; none of them may be used afterwards.
void sign_up_store_write(struct request *first);

/// Closes the database, which empties its write-ahead log.
void sign_up_store_close(void);

#endif
