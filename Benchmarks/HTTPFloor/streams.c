#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon.h"
#include "floors.h"
#include "request.h"

/// Sockets taken over from libmicrohttpd, each with one reader. Guarded by `mutex`.
static struct {
  pthread_mutex_t mutex;
  int *sockets;
  size_t count, capacity;
  /// The index of a reader's socket in `sockets`, by its descriptor.
  size_t indices[1 << 16];
  unsigned long events;
} readers = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/// The epoll set that reports readers that disconnect.
static int departures = -1;
static atomic_bool is_stopping;

/// Adds a reader. `readers.mutex` is locked.
static bool add_reader(int socket) {
  if (socket >= 1 << 16) return false;
  if (readers.count == readers.capacity) {
    size_t capacity = readers.capacity ? 2 * readers.capacity : 1024;
    int *sockets = realloc(readers.sockets, capacity * sizeof *sockets);
    if (!sockets) return false;
    readers.sockets = sockets;
    readers.capacity = capacity;
  }
  struct epoll_event event = {.events = EPOLLRDHUP, .data.fd = socket};
  if (epoll_ctl(departures, EPOLL_CTL_ADD, socket, &event) != 0) return false;
  readers.indices[socket] = readers.count;
  readers.sockets[readers.count++] = socket;
  return true;
}

/// Closes a reader's socket; the last one moves to its index. `readers.mutex` is locked.
static void remove_reader(int socket) {
  size_t index = readers.indices[socket];
  if (index >= readers.count || readers.sockets[index] != socket) return;
  int last = readers.sockets[--readers.count];
  readers.sockets[index] = last;
  readers.indices[last] = index;
  close(socket);
}

/// Sends one event to all, as one chunk that is encoded once; closes sockets that cannot take it.
static void publish(const char *text, size_t length) {
  char event[request_body_limit + 64], chunk[sizeof event + 16];
  pthread_mutex_lock(&readers.mutex);
  int event_length = snprintf(event, sizeof event, "id: %lu\ndata: %.*s\n\n", readers.events++,
                              (int)length, text);
  int chunk_length =
      snprintf(chunk, sizeof chunk, "%x\r\n%s\r\n", (unsigned int)event_length, event);
  for (size_t index = 0; index < readers.count;) {
    int socket = readers.sockets[index];
    if (send(socket, chunk, (size_t)chunk_length, MSG_DONTWAIT) == chunk_length) {
      index++;
    } else {
      remove_reader(socket);
    }
  }
  pthread_mutex_unlock(&readers.mutex);
}

/// The thread that removes readers that have disconnected.
static void *watch_departures(void *closure) {
  (void)closure;
  struct epoll_event events[256];
  while (!atomic_load(&is_stopping)) {
    int count = epoll_wait(departures, events, 256, 200);
    pthread_mutex_lock(&readers.mutex);
    for (int index = 0; index < count; index++) {
      // The descriptor may have been reused meanwhile: remove only a reader that has disconnected.
      char byte;
      int socket = events[index].data.fd;
      ssize_t length = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
      if (length == 0 || (length < 0 && errno != EAGAIN)) remove_reader(socket);
    }
    pthread_mutex_unlock(&readers.mutex);
  }
  return NULL;
}

/// Writes the beginning of a stream; when called again, takes over the socket.
static ssize_t read_stream(void *closure, uint64_t position, char *buffer, size_t size) {
  struct MHD_Connection *connection = closure;
  static const char beginning[] = ": open\n\n";
  if (position == 0 && size >= sizeof beginning - 1) {
    memcpy(buffer, beginning, sizeof beginning - 1);
    return sizeof beginning - 1;
  }
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  int socket = fcntl(info->connect_fd, F_DUPFD_CLOEXEC, 3);
  if (socket >= 0) {
    pthread_mutex_lock(&readers.mutex);
    if (!add_reader(socket)) close(socket);
    pthread_mutex_unlock(&readers.mutex);
  }
  // libmicrohttpd closes its own descriptor without sending anything to the reader.
  return MHD_CONTENT_READER_END_WITH_ERROR;
}

static enum MHD_Result open_stream(struct MHD_Connection *connection) {
  struct MHD_Response *response = MHD_create_response_from_callback(
      MHD_SIZE_UNKNOWN, 1024, read_stream, connection, NULL);
  if (!response) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/event-stream");
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  enum MHD_Result result = MHD_queue_response(connection, 200, response);
  MHD_destroy_response(response);
  return result;
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
      break;
  }
  if (!strcmp(path, "/status")) return open_stream(connection);
  if (!strcmp(path, "/livez")) return respond(connection, 200, "text/plain", "ok\n", 3);
  if (strcmp(path, "/publish")) return respond(connection, 404, "text/plain", "no\n", 3);
  const struct request *request = *context;
  publish(request->body, request->length);
  return respond(connection, 202, "text/plain", "ok\n", 3);
}

/// Leaves out the message that libmicrohttpd logs whenever a socket is taken over.
static void log_others(void *closure, const char *format, va_list arguments) {
  char line[512];
  vsnprintf(line, sizeof line, format, arguments);
  if (strstr(line, "application error generating response")) return;
  (void)closure;
  fputs(line, stderr);
}

int streams_floor(uint16_t port) {
  daemon_prepare();
  departures = epoll_create1(EPOLL_CLOEXEC);
  pthread_t watcher;
  if (departures < 0 || pthread_create(&watcher, NULL, watch_departures, NULL) != 0) return 1;
  const struct daemon_options options = {
      .port = port,
      // Without it libmicrohttpd would shut down the connection, which our duplicate shares.
      .flags = MHD_USE_TURBO,
      .connection_memory = 8192,
      .handler = handle,
      .completed = request_completed,
      .log = log_others,
  };
  struct MHD_Daemon *daemon = daemon_start(&options);
  if (!daemon) return 1;
  daemon_wait();
  MHD_stop_daemon(daemon);
  atomic_store(&is_stopping, true);
  pthread_join(watcher, NULL);
  for (size_t index = 0; index < readers.count; index++) close(readers.sockets[index]);
  free(readers.sockets);
  close(departures);
  return 0;
}
