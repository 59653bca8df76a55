#include "streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/// How many streams are opened at the same time: fewer than any server's backlog.
enum { opening_limit = 128 };

/// The longest pause while streams are being opened, in milliseconds.
enum { opening_timeout = 5000 };

enum state { connecting, reading_head, reading_events, ended };

struct stream {
  int socket;
  enum state state;
  /// The number of the expected event.
  uint64_t due;
  /// The beginning of a line whose end has not arrived yet.
  size_t rest_length;
  char rest[192];
};

struct stream_totals totals;
static struct stream *streams;
static int streams_epoll;

static void end(struct stream *stream) {
  if (stream->state == reading_events) totals.open--;
  totals.closed++;
  stream->state = ended;
  close(stream->socket);
}

/// Sends the request once the connection is established.
static void ask(struct stream *stream, size_t index) {
  static const char request[] =
      "GET /status HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n";
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = index};
  if (send(stream->socket, request, sizeof request - 1, MSG_NOSIGNAL) != sizeof request - 1 ||
      epoll_ctl(streams_epoll, EPOLL_CTL_MOD, stream->socket, &event) != 0) {
    end(stream);
    return;
  }
  stream->state = reading_head;
}

/// Handles one line, without its line ending. Only data lines with a number count: `… n=17 …`.
static void take_line(struct stream *stream, const char *line, size_t length) {
  if (stream->state == reading_head) {
    static const char protocol[] = "HTTP/1.1 ";
    if (length > sizeof protocol + 2 && !memcmp(line, protocol, sizeof protocol - 1) &&
        memcmp(line + sizeof protocol - 1, "200", 3)) {
      end(stream);
    } else if (length == 1 && *line == '\r') {
      stream->state = reading_events;
      totals.open++;
    }
    return;
  }
  if (length < 5 || memcmp(line, "data:", 5)) return;
  const char *number = memmem(line, length, "n=", 2);
  if (!number) return;
  if (strtoull(number + 2, NULL, 10) == stream->due) {
    stream->due++;
    totals.in_order++;
  } else {
    totals.out_of_order++;
  }
}

void streams_read(size_t index) {
  static char buffer[1 << 18];
  struct stream *stream = &streams[index];
  if (stream->state == ended) return;
  if (stream->state == connecting) {
    ask(stream, index);
    return;
  }
  memcpy(buffer, stream->rest, stream->rest_length);
  ssize_t received = recv(stream->socket, buffer + stream->rest_length,
                          sizeof buffer - stream->rest_length, MSG_DONTWAIT);
  if (received <= 0) {
    if (received == 0 || (errno != EAGAIN && errno != EINTR)) end(stream);
    return;
  }
  const char *line = buffer, *past = buffer + stream->rest_length + (size_t)received;
  const char *newline;
  while (stream->state != ended && (newline = memchr(line, '\n', (size_t)(past - line)))) {
    take_line(stream, line, (size_t)(newline - line));
    line = newline + 1;
  }
  stream->rest_length = (size_t)(past - line);
  if (stream->rest_length > sizeof stream->rest) {
    // No counted line is this long, and the rest of the line alone is not counted.
    stream->rest_length = 0;
  }
  memcpy(stream->rest, line, stream->rest_length);
}

/// Starts to connect one stream.
static bool connect_stream(size_t index, const struct sockaddr_in *address) {
  struct stream *stream = &streams[index];
  stream->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (stream->socket < 0) return false;
  // Reset when closed, or its port would be in use for a minute: there are 28,000 of them.
  const struct linger reset = {.l_onoff = 1, .l_linger = 0};
  setsockopt(stream->socket, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  int code = connect(stream->socket, (const struct sockaddr *)address, sizeof *address);
  struct epoll_event event = {.events = EPOLLOUT, .data.u64 = index};
  return (code == 0 || errno == EINPROGRESS) &&
         epoll_ctl(streams_epoll, EPOLL_CTL_ADD, stream->socket, &event) == 0;
}

bool streams_open(int epoll, const struct sockaddr_in *address, size_t count) {
  streams_epoll = epoll;
  streams = calloc(count, sizeof *streams);
  if (!streams) return false;
  struct epoll_event events[opening_limit];
  size_t begun = 0;
  while (totals.open + totals.closed < count) {
    while (begun < count && begun - totals.open - totals.closed < opening_limit) {
      if (!connect_stream(begun++, address)) return false;
    }
    int ready = epoll_wait(epoll, events, opening_limit, opening_timeout);
    if (ready <= 0) return false;
    for (int index = 0; index < ready; index++) streams_read(events[index].data.u64);
  }
  return true;
}
