/// The services that can be started, each the least C code that does its job.
#ifndef HTTPFLOOR_FLOORS_H
#define HTTPFLOOR_FLOORS_H

#include <stdint.h>

/// Responds to every request out of the access handler: what a request costs without any work.
int direct_floor(uint16_t port);

/// Stores each sign-up durably in the SQLite database at `path`, many to a transaction.
int sign_up_floor(uint16_t port, const char *path);

/// Sends the body of `POST /publish` as one event to every reader of `GET /status`.
int streams_floor(uint16_t port);

#endif
