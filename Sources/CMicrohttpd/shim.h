// What Swift cannot see: the variadic functions of libmicrohttpd, each behind a function of fixed
// shape, and epoll and eventfd, which Swift's Glibc module leaves out. `MHD_SIZE_UNKNOWN` is
// `UInt64.max`.
#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/// MHD_start_daemon is variadic: all options go through one MHD_OPTION_ARRAY.
static inline struct MHD_Daemon *_Nullable cmicrohttpd_start(
    unsigned int flags, MHD_AccessHandlerCallback _Nonnull handler, void *_Nullable closure,
    const struct MHD_OptionItem *_Nonnull options) {
  return MHD_start_daemon(flags, 0, NULL, NULL, handler, closure, MHD_OPTION_ARRAY, options,
                          MHD_OPTION_END);
}

/// MHD_get_daemon_info is variadic. -1 when the daemon has no epoll descriptor.
static inline int cmicrohttpd_epoll_descriptor(struct MHD_Daemon *_Nonnull daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

/// MHD_get_connection_info is variadic. NULL when the address is not known.
static inline const struct sockaddr *_Nullable cmicrohttpd_client(
    struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

/// MHD_get_connection_info is variadic. What the connection's notification stored with it.
static inline void *_Nullable cmicrohttpd_socket_context(
    struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/// MHD_get_connection_info is variadic. -1 when there is no socket.
static inline int cmicrohttpd_descriptor(struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// MHD_set_response_options is variadic.
static inline enum MHD_Result cmicrohttpd_set_flags(struct MHD_Response *_Nonnull response,
                                                    enum MHD_ResponseFlags flags) {
  return MHD_set_response_options(response, flags, MHD_RO_END);
}

/// prctl is variadic. Names the calling thread, for debuggers and `top -H`; at most 15 characters.
static inline void cmicrohttpd_name_thread(const char *_Nonnull name) {
  (void)prctl(PR_SET_NAME, name, 0, 0, 0);
}

#endif
