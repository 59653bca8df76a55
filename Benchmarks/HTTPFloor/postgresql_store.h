/// The list in PostgreSQL, in a database that Enlist has made: one call of its function for a batch.
#ifndef HTTPFLOOR_POSTGRESQL_STORE_H
#define HTTPFLOOR_POSTGRESQL_STORE_H

#include <stdbool.h>

#include "request.h"

/// Connects, and reads the secret.
///
/// - Returns: Whether it succeeded; otherwise the reason is on standard error.
bool postgresql_store_open(const char *url);

/// Stores requests that have details, at most 128 to a call, and resumes them with their status set.
///
/// - Parameter first: The first request of a chain; none of them may be used afterwards.
void postgresql_store_write(struct request *first);

/// Closes the connection.
void postgresql_store_close(void);

#endif
