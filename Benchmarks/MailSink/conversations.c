#include "conversations.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { conversation_limit = 64 };

enum state { unused, reading_commands, reading_text, delaying_reply };

struct conversation {
  int socket;
  enum state state;
  /// When the reply is due, while it is delayed.
  int64_t due;
  /// The command that has arrived so far, or the last bytes of the text.
  size_t length;
  char bytes[1024];
};

/// The end of a text, whose first line end belongs to the last line.
static const char text_end[] = "\r\n.\r\n";
enum { text_end_length = sizeof text_end - 1 };

static struct conversation conversations[conversation_limit];
static int64_t delay;
static uint64_t mails;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void end(struct conversation *conversation) {
  close(conversation->socket);
  conversation->state = unused;
}

static void reply(struct conversation *conversation, const char *line) {
  size_t length = strlen(line);
  if (send(conversation->socket, line, length, MSG_NOSIGNAL) != (ssize_t)length) {
    end(conversation);
  }
}

static void accept_mail(struct conversation *conversation) {
  mails++;
  conversation->state = reading_commands;
  conversation->length = 0;
  reply(conversation, "250 2.0.0 accepted\r\n");
}

static void follow(struct conversation *conversation, const char *command) {
  static const char *const fine[] = {"EHLO", "HELO", "MAIL", "RCPT", "RSET", "NOOP"};
  for (size_t index = 0; index < sizeof fine / sizeof *fine; index++) {
    if (!strncasecmp(command, fine[index], 4)) {
      reply(conversation, "250 fine\r\n");
      return;
    }
  }
  if (!strncasecmp(command, "DATA", 4)) {
    // An empty text has no line before its end.
    memcpy(conversation->bytes, text_end, 2);
    conversation->length = 2;
    conversation->state = reading_text;
    reply(conversation, "354 the text\r\n");
  } else if (!strncasecmp(command, "QUIT", 4)) {
    reply(conversation, "221 2.0.0 goodbye\r\n");
    if (conversation->state != unused) end(conversation);
  } else {
    reply(conversation, "502 5.5.1 unknown command\r\n");
  }
}

static void take_command(struct conversation *conversation, const char *bytes, size_t count) {
  if (conversation->length + count >= sizeof conversation->bytes) {
    end(conversation);
    return;
  }
  memcpy(conversation->bytes + conversation->length, bytes, count);
  conversation->length += count;
  if (conversation->bytes[conversation->length - 1] != '\n') return;
  conversation->bytes[conversation->length] = '\0';
  conversation->length = 0;
  follow(conversation, conversation->bytes);
}

/// Takes a part of a text, of which only the last bytes matter: nothing comes after its end.
static void take_text(struct conversation *conversation, const char *bytes, size_t count) {
  size_t kept = conversation->length;
  if (count >= text_end_length) {
    bytes += count - text_end_length;
    count = text_end_length;
    kept = 0;
  } else if (kept + count > text_end_length) {
    size_t dropped = kept + count - text_end_length;
    memmove(conversation->bytes, conversation->bytes + dropped, kept - dropped);
    kept -= dropped;
  }
  memcpy(conversation->bytes + kept, bytes, count);
  conversation->length = kept + count;
  if (conversation->length < text_end_length ||
      memcmp(conversation->bytes, text_end, text_end_length)) {
    return;
  }
  if (delay == 0) {
    accept_mail(conversation);
  } else {
    conversation->state = delaying_reply;
    conversation->due = now() + delay;
  }
}

void conversations_set_delay(int64_t milliseconds) {
  delay = milliseconds;
}

void conversations_accept(int epoll, int listener) {
  int client;
  while ((client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    uint64_t index = 0;
    while (index < conversation_limit && conversations[index].state != unused) index++;
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = index};
    if (index == conversation_limit || epoll_ctl(epoll, EPOLL_CTL_ADD, client, &event) != 0) {
      close(client);
      continue;
    }
    struct conversation *conversation = &conversations[index];
    conversation->socket = client;
    conversation->state = reading_commands;
    conversation->length = 0;
    reply(conversation, "220 sink.example.com ESMTP\r\n");
  }
}

void conversations_read(uint64_t index) {
  static char buffer[1 << 16];
  struct conversation *conversation = &conversations[index];
  if (conversation->state == unused) return;
  ssize_t received = recv(conversation->socket, buffer, sizeof buffer, 0);
  if (received <= 0) {
    if (received == 0 || (errno != EAGAIN && errno != EINTR)) end(conversation);
    return;
  }
  switch (conversation->state) {
    case reading_commands:
      take_command(conversation, buffer, (size_t)received);
      break;
    case reading_text:
      take_text(conversation, buffer, (size_t)received);
      break;
    case delaying_reply:
    case unused:
      // Out of turn.
      end(conversation);
      break;
  }
}

int conversations_reply(void) {
  if (delay == 0) return -1;
  const int64_t time = now();
  int64_t next = -1;
  for (size_t index = 0; index < conversation_limit; index++) {
    struct conversation *conversation = &conversations[index];
    if (conversation->state != delaying_reply) continue;
    if (conversation->due <= time) {
      accept_mail(conversation);
    } else if (next < 0 || conversation->due - time < next) {
      next = conversation->due - time;
    }
  }
  return (int)next;
}

uint64_t conversations_mails(void) {
  return mails;
}
