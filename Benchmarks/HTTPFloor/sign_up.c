#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon.h"
#include "floors.h"
#include "mail_details.h"
#include "postgresql_store.h"
#include "request.h"
#include "sign_up_store.h"

/// Requests that wait for the writer, in order of arrival.
static struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  struct request *first, **end;
  bool is_stopping;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &queue.first, false};

/// Stores requests, and resumes them.
static void (*store)(struct request *first);

/// The writer's thread: one transaction for all requests that arrived during the last one.
static void *write_sign_ups(void *closure) {
  (void)closure;
  bool is_stopping = false;
  while (!is_stopping) {
    pthread_mutex_lock(&queue.mutex);
    while (!queue.first && !queue.is_stopping) pthread_cond_wait(&queue.changed, &queue.mutex);
    struct request *first = queue.first;
    queue.first = NULL;
    queue.end = &queue.first;
    is_stopping = queue.is_stopping;
    pthread_mutex_unlock(&queue.mutex);
    store(first);
  }
  return NULL;
}

/// Whether each sign-up queues a mail, and whether it needs details at all.
static bool has_outbox, has_details;

static enum MHD_Result sign_up(struct request *request) {
  struct MHD_Connection *connection = request->connection;
  char text[96];
  int length;
  switch (request->status) {
    case 0:
      if (!request_find_address(request) || !request_has_valid_address(request)) {
        return respond(connection, 422, "application/json", "{\"error\":\"email\"}", 17);
      }
      if (has_details && !mail_details_make(request, has_outbox)) return MHD_NO;
      // Suspend it before the writer, which resumes it, can see it.
      MHD_suspend_connection(connection);
      pthread_mutex_lock(&queue.mutex);
      *queue.end = request;
      queue.end = &request->next;
      pthread_cond_signal(&queue.changed);
      pthread_mutex_unlock(&queue.mutex);
      return MHD_YES;
    case 202:
      length = snprintf(text, sizeof text, "{\"id\":\"%s\",\"state\":\"completed\"}",
                        request->identifier);
      return respond(connection, 202, "application/json", text, (size_t)length);
    default:
      return respond(connection, request->status, "application/json", "{\"error\":\"store\"}", 17);
  }
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
      if (!strcmp(path, "/subscribers")) return sign_up(*context);
      if (!strcmp(path, "/livez")) return respond(connection, 200, "text/plain", "ok\n", 3);
      return respond(connection, 404, "text/plain", "no\n", 3);
  }
  return MHD_NO;
}

int sign_up_floor(uint16_t port, const char *database, bool with_outbox) {
  daemon_prepare();
  const bool is_on_server = !strncmp(database, "postgres://", strlen("postgres://"));
  has_outbox = with_outbox;
  has_details = has_outbox || is_on_server;
  store = is_on_server ? postgresql_store_write : sign_up_store_write;
  if (!(is_on_server ? postgresql_store_open(database)
                     : sign_up_store_open(database, has_outbox))) {
    return 1;
  }
  pthread_t writer;
  if (pthread_create(&writer, NULL, write_sign_ups, NULL) != 0) return 1;
  const struct daemon_options options = {
      .port = port,
      .flags = MHD_ALLOW_SUSPEND_RESUME,
      .connection_memory = 8192,
      .handler = handle,
      .completed = request_completed,
      .log = daemon_log,
  };
  struct MHD_Daemon *daemon = daemon_start(&options);
  if (!daemon) return 1;
  daemon_wait();

  // No request may be suspended when the daemon stops: accept no connections, then let the writer
  // finish. A sign-up in between aborts the process with an error, which the benchmark would show.
  int socket = MHD_quiesce_daemon(daemon);
  pthread_mutex_lock(&queue.mutex);
  queue.is_stopping = true;
  pthread_cond_signal(&queue.changed);
  pthread_mutex_unlock(&queue.mutex);
  pthread_join(writer, NULL);
  MHD_stop_daemon(daemon);
  if (socket >= 0) close(socket);
  if (is_on_server) {
    postgresql_store_close();
  } else {
    sign_up_store_close();
  }
  return 0;
}
