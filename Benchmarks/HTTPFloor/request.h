/// A request whose body is being received.
#ifndef HTTPFLOOR_REQUEST_H
#define HTTPFLOOR_REQUEST_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

enum { request_body_limit = 1024 };

struct mail_details;

/// The state that libmicrohttpd keeps with a request for us.
struct request {
  struct MHD_Connection *connection;
  /// The next one in the queue of the writer.
  struct request *next;
  /// 0 until the response is decided.
  unsigned int status;
  bool is_post;
  /// The offset of the address in `body`, and its length in bytes.
  const char *address;
  size_t address_length;
  /// What is stored besides the address, where sign-ups cause mails; otherwise NULL.
  struct mail_details *details;
  /// 32 or 44 hexadecimal digits, once stored.
  char identifier[45];
  size_t length;
  /// Followed by a zero byte after `length` bytes.
  char body[];
};

/// The result of a call of the access handler.
enum request_progress { request_begun, request_continued, request_complete, request_impossible };

/// Stores the data of a call of the access handler.
///
/// - Returns: `request_complete` once the whole request has arrived, `request_impossible` if it is
///   too long; the connection is then closed.
enum request_progress request_receive(struct MHD_Connection *connection, const char *method,
                                      const char *piece, size_t *piece_length, void **context);

/// Finds the member "email" of a JSON object: a string without escapes. Points into the body.
bool request_find_address(struct request *request);

/// Whether the address has one @, something before it, and a dot in the middle of what is after it.
bool request_has_valid_address(const struct request *request);

/// Frees the state of a request; libmicrohttpd's notification that a request has ended.
void request_completed(void *closure, struct MHD_Connection *connection, void **context,
                       enum MHD_RequestTerminationCode reason);

/// Responds with a copy of a text.
enum MHD_Result respond(struct MHD_Connection *connection, unsigned int status, const char *type,
                       const char *text, size_t length);

#endif
