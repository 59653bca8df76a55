/// The available services, each with the minimum of C code that does its job.
#ifndef HTTPFLOOR_FLOORS_H
#define HTTPFLOOR_FLOORS_H

#include <stdbool.h>
#include <stdint.h>

/// Responds to every request in the access handler: the cost of a request without any work.
int direct_floor(uint16_t port);

/// Stores each sign-up durably, many to a transaction.
///
/// - Parameter database: The path of a SQLite database, or the URL of a PostgreSQL database that
///   Enlist has made.
/// - Parameter with_outbox: Whether each sign-up queues a mail, in a SQLite database that Enlist has
///   made.
int sign_up_floor(uint16_t port, const char *database, bool with_outbox);

/// Sends the body of `POST /publish` as one event to every client of `GET /status`.
int streams_floor(uint16_t port);

#endif
