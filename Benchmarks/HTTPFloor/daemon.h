/// Starting libmicrohttpd and waiting for the signal to stop.
#ifndef HTTPFLOOR_DAEMON_H
#define HTTPFLOOR_DAEMON_H

#include <microhttpd.h>
#include <stdint.h>

/// The options of a daemon; all daemons use one internal thread of libmicrohttpd with epoll.
struct daemon_options {
  uint16_t port;
  /// Further `MHD_FLAG`s.
  unsigned int flags;
  /// Bytes of memory for each connection.
  size_t connection_memory;
  MHD_AccessHandlerCallback handler;
  MHD_RequestCompletedCallback completed;
  /// Logs libmicrohttpd's messages.
  MHD_LogCallback log;
};

/// Blocks SIGINT and SIGTERM in this thread and those it starts, so that `daemon_wait` gets them.
///
/// Raises the limit of descriptors, too. Call it before any thread is started.
void daemon_prepare(void);

/// Starts a daemon on 127.0.0.1. On failure, prints the reason to standard error and returns NULL.
struct MHD_Daemon *daemon_start(const struct daemon_options *options);

/// Waits for SIGINT or SIGTERM.
void daemon_wait(void);

/// A log callback that writes to standard error.
void daemon_log(void *closure, const char *format, va_list arguments);

#endif
