// What Swift cannot see: the variadic functions of libmicrohttpd, each behind a function of fixed
// shape, and epoll and eventfd, which Swift's Glibc module leaves out. `MHD_SIZE_UNKNOWN` is
// `UInt64.max`.
#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H

#include <malloc.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/// MHD_start_daemon is variadic: all options go through one MHD_OPTION_ARRAY.
static inline struct MHD_Daemon *_Nullable cmicrohttpd_start(
    unsigned int flags, MHD_AcceptPolicyCallback _Nullable policy, void *_Nullable policy_closure,
    MHD_AccessHandlerCallback _Nonnull handler, void *_Nullable closure,
    const struct MHD_OptionItem *_Nonnull options) {
  return MHD_start_daemon(flags, 0, policy, policy_closure, handler, closure, MHD_OPTION_ARRAY,
                          options, MHD_OPTION_END);
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

/// MHD_get_connection_info is variadic. NULL without TLS.
static inline struct gnutls_session_int *_Nullable cmicrohttpd_tls_session(
    struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return info ? info->tls_session : NULL;
}

/// MHD_get_connection_info is variadic. How many bytes the head of the request has; 0 before all of it
/// has arrived.
static inline size_t cmicrohttpd_head_size(struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

/// Gives all header fields, all pairs of the query, and all cookies, in the order in which they were
/// parsed: in Swift, kinds cannot be combined.
static inline void cmicrohttpd_pairs(struct MHD_Connection *_Nonnull connection,
                                     MHD_KeyValueIteratorN _Nonnull iterator,
                                     void *_Nonnull closure) {
  (void)MHD_get_connection_values_n(
      connection, (enum MHD_ValueKind)(MHD_HEADER_KIND | MHD_GET_ARGUMENT_KIND | MHD_COOKIE_KIND),
      iterator, closure);
}

/// Swift's Glibc module leaves out <malloc.h>.
static inline void cmicrohttpd_trim_memory(void) { (void)malloc_trim(0); }

/// MHD_set_connection_option is variadic. In seconds; 0 is no timeout.
static inline enum MHD_Result cmicrohttpd_set_timeout(struct MHD_Connection *_Nonnull connection,
                                                      unsigned int seconds) {
  return MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

/// What the kernel knows of a TCP connection, as far as it is of use here.
struct cmicrohttpd_tcp_state {
  /// How many bytes the peer has sent and the kernel has taken.
  uint64_t received;
  /// Whether the peer has said that it sends no more.
  bool has_ended;
};

/// Asks for TCP_INFO. Returns 0, or -1 for what is no TCP socket.
static inline int cmicrohttpd_tcp_state(int descriptor, struct cmicrohttpd_tcp_state *_Nonnull state) {
  // struct tcp_info of <linux/tcp.h>, which cannot stand beside <netinet/tcp.h>, whose own one ends
  // before tcpi_bytes_received: the first byte is tcpi_state, the bytes from 128 are that.
  uint64_t info[17] = {0};
  socklen_t size = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, info, &size) != 0 || size < sizeof info) return -1;
  state->received = info[16];
  state->has_ended = *(const uint8_t *)info == TCP_CLOSE_WAIT;
  return 0;
}

/// MHD_set_response_options is variadic.
static inline enum MHD_Result cmicrohttpd_set_flags(struct MHD_Response *_Nonnull response,
                                                    enum MHD_ResponseFlags flags) {
  return MHD_set_response_options(response, flags, MHD_RO_END);
}

/// accept4, which <sys/socket.h> declares for GNU programs only: the socket does not block, and no
/// child process inherits it.
int accept4(int, struct sockaddr *_Nullable, socklen_t *_Nullable, int);
static inline int cmicrohttpd_accept(int descriptor, struct sockaddr *_Nullable address,
                                     socklen_t *_Nullable size) {
  return accept4(descriptor, address, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// prctl is variadic. Names the calling thread, for debuggers and `top -H`; at most 15 characters.
static inline void cmicrohttpd_name_thread(const char *_Nonnull name) {
  (void)prctl(PR_SET_NAME, name, 0, 0, 0);
}

#endif
