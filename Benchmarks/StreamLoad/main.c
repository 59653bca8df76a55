/// Keeps event streams open on 127.0.0.1, and publishes events on command.
///
///     StreamLoad PORT STREAMS
///
/// Prints `open N` when the streams are open. Then reads commands from standard input until it ends:
/// `publish N` publishes N events, each one when all streams have received the previous one, and
/// prints how many arrived and how many streams are open: `in-order N out-of-order N open N`.
/// Anything else that arrives on the streams is read and dropped.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "streams.h"

/// The epoll data of descriptors other than streams.
static const uint64_t publisher_mark = UINT64_MAX, input_mark = UINT64_MAX - 1;

/// How long an event may take to reach the next stream, in milliseconds.
enum { delivery_timeout = 10000 };

static struct sockaddr_in address;
static int epoll = -1, publisher = -1;

static bool watch(int descriptor, uint64_t mark) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = mark};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

/// Waits for readiness and reads whatever is ready, except standard input, which is only polled.
///
/// - Returns: Whether anything arrived.
static bool take_in(int timeout, bool *is_input_ready) {
  struct epoll_event events[512];
  char responses[4096];
  int count = epoll_wait(epoll, events, 512, timeout);
  for (int index = 0; index < count; index++) {
    uint64_t mark = events[index].data.u64;
    if (mark == input_mark) {
      *is_input_ready = true;
    } else if (mark == publisher_mark) {
      // The response does not matter: the events on the streams are counted.
      if (recv(publisher, responses, sizeof responses, MSG_DONTWAIT) == 0) exit(1);
    } else {
      streams_read(mark);
    }
  }
  return count > 0;
}

/// Opens the connection for publishing, unless it is open.
static bool connect_publisher(void) {
  if (publisher >= 0) return true;
  publisher = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return publisher >= 0 &&
         connect(publisher, (const struct sockaddr *)&address, sizeof address) == 0 &&
         watch(publisher, publisher_mark);
}

static bool publish(uint64_t number) {
  char body[32], request[192];
  int body_length = snprintf(body, sizeof body, "n=%lu", (unsigned long)number);
  int length = snprintf(request, sizeof request,
                        "POST /publish HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                        "Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s",
                        body_length, body);
  return send(publisher, request, (size_t)length, MSG_NOSIGNAL) == length;
}

/// Publishes events and prints the result.
static bool publish_all(uint64_t count) {
  static uint64_t published;
  const uint64_t in_order = totals.in_order, out_of_order = totals.out_of_order;
  bool is_input_ready = false, is_alive = true;
  for (uint64_t index = 0; index < count && is_alive; index++) {
    if (!connect_publisher() || !publish(published++)) return false;
    uint64_t due = in_order + out_of_order + (index + 1) * totals.open;
    while (is_alive && totals.in_order + totals.out_of_order < due) {
      is_alive = take_in(delivery_timeout, &is_input_ready);
    }
  }
  printf("in-order %lu out-of-order %lu open %zu\n", (unsigned long)(totals.in_order - in_order),
         (unsigned long)(totals.out_of_order - out_of_order), totals.open);
  fflush(stdout);
  return true;
}

/// Executes the commands of standard input until it ends.
static int follow_commands(void) {
  char line[64];
  size_t length = 0;
  for (;;) {
    bool is_input_ready = false;
    take_in(-1, &is_input_ready);
    if (!is_input_ready) continue;
    ssize_t count = read(STDIN_FILENO, line + length, sizeof line - 1 - length);
    if (count <= 0) return count == 0 ? 0 : 1;
    length += (size_t)count;
    if (line[length - 1] != '\n') continue;
    line[length] = '\0';
    length = 0;
    unsigned long events;
    if (sscanf(line, "publish %lu", &events) != 1 || !publish_all(events)) return 1;
  }
}

int main(int count, char **arguments) {
  long port = count == 3 ? strtol(arguments[1], NULL, 10) : 0;
  long streams = count == 3 ? strtol(arguments[2], NULL, 10) : 0;
  if (port < 1 || port > UINT16_MAX || streams < 1) {
    fputs("usage: StreamLoad PORT STREAMS\n", stderr);
    return 64;
  }
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  address = (struct sockaddr_in){
      .sin_family = AF_INET,
      .sin_port = htons((uint16_t)port),
      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
  };
  epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0 || !streams_open(epoll, &address, (size_t)streams)) {
    fprintf(stderr, "StreamLoad: cannot open all streams: %s\n", strerror(errno));
    return 1;
  }
  if (!watch(STDIN_FILENO, input_mark)) {
    fprintf(stderr, "StreamLoad: cannot wait for standard input: %s\n", strerror(errno));
    return 1;
  }
  printf("open %zu\n", totals.open);
  fflush(stdout);
  return follow_commands();
}
