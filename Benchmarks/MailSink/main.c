/// Accepts and drops mail on a free port of 127.0.0.1.
///
///     MailSink [--delay MILLISECONDS | --refuse]
///
/// Prints `port N`. Then reads commands from standard input until it ends: `count` prints how many
/// mails were accepted: `mails N`. With `--delay`, the reply to the text of each mail comes that
/// much later. With `--refuse`, nothing listens on the port, and no other program can.
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conversations.h"

/// The epoll data of descriptors other than conversations.
static const uint64_t listener_mark = UINT64_MAX, input_mark = UINT64_MAX - 1;

static bool watch(int epoll, int descriptor, uint64_t mark) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = mark};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

/// Binds a socket to a free port, and listens on it unless connections are to be refused.
///
/// - Returns: The socket, or -1.
static int bind_port(bool is_refusing, in_port_t *port) {
  struct sockaddr_in address = {
      .sin_family = AF_INET,
      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
  };
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0 || bind(listener, (const struct sockaddr *)&address, length) != 0 ||
      getsockname(listener, (struct sockaddr *)&address, &length) != 0 ||
      (!is_refusing && listen(listener, 64) != 0)) {
    return -1;
  }
  *port = ntohs(address.sin_port);
  return listener;
}

/// Executes the commands that have arrived.
///
/// - Returns: Whether there may be more.
static bool follow_commands(void) {
  static char line[64];
  static size_t length;
  ssize_t count = read(STDIN_FILENO, line + length, sizeof line - 1 - length);
  if (count <= 0) return false;
  length += (size_t)count;
  if (line[length - 1] != '\n') return true;
  line[length] = '\0';
  length = 0;
  if (strcmp(line, "count\n")) return false;
  printf("mails %lu\n", (unsigned long)conversations_mails());
  fflush(stdout);
  return true;
}

static int serve(int epoll, int listener) {
  for (;;) {
    struct epoll_event events[64];
    int count = epoll_wait(epoll, events, 64, conversations_reply());
    if (count < 0 && errno != EINTR) return 1;
    for (int index = 0; index < count; index++) {
      uint64_t mark = events[index].data.u64;
      if (mark == listener_mark) {
        conversations_accept(epoll, listener);
      } else if (mark != input_mark) {
        conversations_read(mark);
      } else if (!follow_commands()) {
        return 0;
      }
    }
  }
}

static int usage(void) {
  fputs("usage: MailSink [--delay MILLISECONDS | --refuse]\n", stderr);
  return 64;
}

int main(int count, char **arguments) {
  bool is_refusing = count == 2 && !strcmp(arguments[1], "--refuse");
  long delay = 0;
  if (count == 3 && !strcmp(arguments[1], "--delay")) {
    char *end;
    delay = strtol(arguments[2], &end, 10);
    if (*end != '\0' || delay < 1 || delay > 3600000) return usage();
  } else if (count != 1 && !is_refusing) {
    return usage();
  }
  in_port_t port;
  int epoll = epoll_create1(EPOLL_CLOEXEC), listener = bind_port(is_refusing, &port);
  if (epoll < 0 || listener < 0 || !watch(epoll, STDIN_FILENO, input_mark) ||
      (!is_refusing && !watch(epoll, listener, listener_mark))) {
    fprintf(stderr, "MailSink: cannot start: %s\n", strerror(errno));
    return 1;
  }
  conversations_set_delay(delay);
  printf("port %u\n", (unsigned int)port);
  fflush(stdout);
  return serve(epoll, listener);
}
