/// The available services, each with the minimum of C code that does its job.
#ifndef HTTPFLOOR_FLOORS_H
#define HTTPFLOOR_FLOORS_H

#include <stdint.h>

/// Responds to every request in the access handler: the cost of a request without any work.
int direct_floor(uint16_t port);

/// Stores each sign-up durably in the SQLite database at `path`, many to a transaction.
int sign_up_floor(uint16_t port, const char *path);

/// Sends the body of `POST /publish` as one event to every client of `GET /status`.
int streams_floor(uint16_t port);

#endif
