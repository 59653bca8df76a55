#include "request.h"

#include <stdlib.h>
#include <string.h>

enum request_progress request_receive(struct MHD_Connection *connection, const char *method,
                                      const char *piece, size_t *piece_length, void **context) {
  struct request *request = *context;
  if (!request) {
    bool is_post = !strcmp(method, MHD_HTTP_METHOD_POST);
    request = malloc(sizeof *request + (is_post ? request_body_limit : 1));
    if (!request) return request_impossible;
    request->connection = connection;
    request->next = NULL;
    request->status = 0;
    request->is_post = is_post;
    request->details = NULL;
    request->length = 0;
    *context = request;
    return request_begun;
  }
  if (*piece_length > 0) {
    if (!request->is_post || request->length + *piece_length >= request_body_limit) {
      return request_impossible;
    }
    memcpy(request->body + request->length, piece, *piece_length);
    request->length += *piece_length;
    *piece_length = 0;
    return request_continued;
  }
  request->body[request->length] = '\0';
  return request_complete;
}

bool request_find_address(struct request *request) {
  const char *name = "\"email\"";
  const char *at = strstr(request->body, name);
  if (!at) return false;
  at += strlen(name);
  at += strspn(at, " :");
  if (*at != '"') return false;
  const char *start = at + 1;
  const char *end = strpbrk(start, "\"\\");
  if (!end || *end != '"') return false;
  request->address = start;
  request->address_length = (size_t)(end - start);
  return true;
}

bool request_has_valid_address(const struct request *request) {
  const char *start = request->address, *end = start + request->address_length;
  if (request->address_length > 254) return false;
  const char *at = memchr(start, '@', request->address_length);
  if (!at || at == start || memchr(at + 1, '@', (size_t)(end - at - 1))) return false;
  const char *dot = memchr(at, '.', (size_t)(end - at));
  return dot && dot > at + 1 && dot + 1 < end;
}

void request_completed(void *closure, struct MHD_Connection *connection, void **context,
                       enum MHD_RequestTerminationCode reason) {
  (void)closure, (void)connection, (void)reason;
  struct request *request = *context;
  if (request) free(request->details);
  free(request);
  *context = NULL;
}

enum MHD_Result respond(struct MHD_Connection *connection, unsigned int status, const char *type,
                       const char *text, size_t length) {
  struct MHD_Response *response =
      MHD_create_response_from_buffer(length, (void *)text, MHD_RESPMEM_MUST_COPY);
  if (!response) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  enum MHD_Result result = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return result;
}
