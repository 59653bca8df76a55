#include "daemon.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static void stop_signals(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGINT);
  sigaddset(set, SIGTERM);
}

void daemon_prepare(void) {
  sigset_t set;
  stop_signals(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);

  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

struct MHD_Daemon *daemon_start(const struct daemon_options *options) {
  struct sockaddr_in address = {
      .sin_family = AF_INET,
      .sin_port = htons(options->port),
      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
  };
  struct MHD_OptionItem items[] = {
      // First, so that errors in the other options are logged.
      {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)options->log, NULL},
      {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)options->completed, NULL},
      {MHD_OPTION_CONNECTION_LIMIT, 20000, NULL},
      {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)options->connection_memory, NULL},
      {MHD_OPTION_LISTEN_BACKLOG_SIZE, 4096, NULL},
      {MHD_OPTION_SOCK_ADDR, 0, &address},
      {MHD_OPTION_END, 0, NULL},
  };
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG | options->flags, options->port, NULL,
      NULL, options->handler, NULL, MHD_OPTION_ARRAY, items, MHD_OPTION_END);
  if (!daemon) fprintf(stderr, "HTTPFloor: no daemon: %s\n", strerror(errno));
  return daemon;
}

void daemon_wait(void) {
  sigset_t set;
  stop_signals(&set);
  int number;
  sigwait(&set, &number);
}

void daemon_log(void *closure, const char *format, va_list arguments) {
  (void)closure;
  vfprintf(stderr, format, arguments);
}
