/// A request while its body comes in.
#ifndef HTTPFLOOR_REQUEST_H
#define HTTPFLOOR_REQUEST_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

enum { request_body_limit = 1024 };

/// What libmicrohttpd keeps for us with a request.
struct request {
  struct MHD_Connection *connection;
  /// The next one in the queue of the writer.
  struct request *next;
  /// 0 until the response is decided.
  unsigned int status;
  bool is_post;
  /// Where the address begins in `body`, and how many bytes it has.
  const char *address;
  size_t address_length;
  /// 32 hexadecimal digits, once stored.
  char identifier[33];
  size_t length;
  /// With a zero byte behind `length`.
  char body[];
};

/// What a call of the access handler was for.
enum request_progress { request_begun, request_continued, request_complete, request_impossible };

/// Keeps what a call of the access handler brings.
///
/// - Returns: `request_complete` when the whole request is there, `request_impossible` when it is too
///   long: the connection is closed then.
enum request_progress request_receive(struct MHD_Connection *connection, const char *method,
                                      const char *piece, size_t *piece_length, void **context);

/// Finds the member "email" of a JSON object: a string without escapes. Points into the body.
bool request_find_address(struct request *request);

/// Whether the address has one @, something before it, and a dot in the middle of what is after it.
bool request_has_valid_address(const struct request *request);

/// Frees what was kept: libmicrohttpd's notification that a request is over.
void request_completed(void *closure, struct MHD_Connection *connection, void **context,
                       enum MHD_RequestTerminationCode reason);

/// Responds with a text that is copied.
enum MHD_Result respond(struct MHD_Connection *connection, unsigned int status, const char *type,
                       const char *text, size_t length);

#endif
