#include <stdio.h>
#include <string.h>

#include "daemon.h"
#include "floors.h"
#include "request.h"

/// A check of an address, or a rejection: a small JSON text that is made for each request.
static enum MHD_Result refuse_or_check(struct request *request, const char *path) {
  char text[1024];
  int length;
  if (!request->is_post) {
    length = snprintf(text, sizeof text,
                      "{\"type\":\"/problems/not-found\",\"title\":\"Not found\",\"status\":404,"
                      "\"detail\":\"There is nothing here.\"}");
    return respond(request->connection, 404, "application/problem+json", text, (size_t)length);
  }
  if (!request_find_address(request)) {
    length = snprintf(text, sizeof text,
                      "{\"type\":\"/problems/malformed-body\",\"title\":\"Malformed body\","
                      "\"status\":400,\"detail\":\"There is no address in it.\"}");
    return respond(request->connection, 400, "application/problem+json", text, (size_t)length);
  }
  bool is_valid = request_has_valid_address(request);
  if (is_valid || !strcmp(path, "/email-checks")) {
    length = snprintf(text, sizeof text,
                      "{\"valid\":%s,\"normalized\":\"%.*s\",\"reason\":null,\"suggestion\":null}",
                      is_valid ? "true" : "false", (int)(is_valid ? request->address_length : 0),
                      request->address);
    return respond(request->connection, 200, "application/json", text, (size_t)length);
  }
  length = snprintf(text, sizeof text,
                    "{\"type\":\"/problems/invalid-email\",\"title\":\"Invalid email address\","
                    "\"status\":422,\"detail\":\"It is not an address.\"}");
  return respond(request->connection, 422, "application/problem+json", text, (size_t)length);
}

static enum MHD_Result handle(void *closure, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *piece,
                              size_t *piece_length, void **context) {
  (void)closure, (void)version;
  switch (request_receive(connection, method, piece, piece_length, context)) {
    case request_begun:
    case request_continued:
      return MHD_YES;
    case request_impossible:
      return MHD_NO;
    case request_complete:
      if (!strcmp(path, "/livez")) return respond(connection, 200, "text/plain", "ok\n", 3);
      return refuse_or_check(*context, path);
  }
  return MHD_NO;
}

int direct_floor(uint16_t port) {
  daemon_prepare();
  const struct daemon_options options = {
      .port = port,
      .connection_memory = 32768,
      .handler = handle,
      .completed = request_completed,
      .log = daemon_log,
  };
  struct MHD_Daemon *daemon = daemon_start(&options);
  if (!daemon) return 1;
  daemon_wait();
  MHD_stop_daemon(daemon);
  return 0;
}
