// Functions that Swift cannot import: the variadic functions of libmicrohttpd, each as a function with
// fixed parameters, and epoll and eventfd, which Swift's Glibc module omits. `MHD_SIZE_UNKNOWN` is
// `UInt64.max`.
#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H

#include <malloc.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/// Whether the libmicrohttpd that is loaded rejects ambiguous requests itself: 1.0 and later.
///
/// Asked at run time, because 0.9.75 and 1.0 have the same soname.
static inline bool cmicrohttpd_is_strict(void) { return MHD_get_version()[0] != '0'; }

/// Starts a daemon with an array of options; MHD_start_daemon is variadic.
///
/// MHD_OPTION_CLIENT_DISCIPLINE_LVL, which the header of 0.9.75 lacks, is 38. At level 1, no bytes are
/// accepted that RFC 9112 lets a server reject.
static inline struct MHD_Daemon *_Nullable cmicrohttpd_start(
    unsigned int flags, MHD_AcceptPolicyCallback _Nullable policy, void *_Nullable policy_closure,
    MHD_AccessHandlerCallback _Nonnull handler, void *_Nullable closure,
    const struct MHD_OptionItem *_Nonnull options) {
  if (!cmicrohttpd_is_strict())
    return MHD_start_daemon(flags, 0, policy, policy_closure, handler, closure, MHD_OPTION_ARRAY,
                            options, MHD_OPTION_END);
  return MHD_start_daemon(flags, 0, policy, policy_closure, handler, closure, MHD_OPTION_ARRAY,
                          options, (enum MHD_OPTION)38, 1, MHD_OPTION_END);
}

/// Returns the epoll descriptor of a daemon, or -1; MHD_get_daemon_info is variadic.
static inline int cmicrohttpd_epoll_descriptor(struct MHD_Daemon *_Nonnull daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

/// Returns the address of the peer, or NULL; MHD_get_connection_info is variadic.
static inline const struct sockaddr *_Nullable cmicrohttpd_client(
    struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

/// Returns the context that the connection's notification has stored; MHD_get_connection_info is
/// variadic.
static inline void *_Nullable cmicrohttpd_socket_context(
    struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/// Returns the socket of a connection, or -1; MHD_get_connection_info is variadic.
static inline int cmicrohttpd_descriptor(struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// Returns the TLS session of a connection, or NULL; MHD_get_connection_info is variadic.
static inline struct gnutls_session_int *_Nullable cmicrohttpd_tls_session(
    struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return info ? info->tls_session : NULL;
}

/// Returns the size of a complete head in bytes; MHD_get_connection_info is variadic.
static inline size_t cmicrohttpd_head_size(struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

/// Passes all header fields and query pairs to an iterator, in the order in which they were parsed;
/// Swift cannot combine the kinds.
static inline void cmicrohttpd_pairs(struct MHD_Connection *_Nonnull connection,
                                     MHD_KeyValueIteratorN _Nonnull iterator,
                                     void *_Nonnull closure) {
  (void)MHD_get_connection_values_n(
      connection, (enum MHD_ValueKind)(MHD_HEADER_KIND | MHD_GET_ARGUMENT_KIND), iterator, closure);
}

/// Returns unused memory to the system; Swift's Glibc module omits <malloc.h>.
static inline void cmicrohttpd_trim_memory(void) { (void)malloc_trim(0); }

/// Sets the timeout of a connection in seconds, 0 for none; MHD_set_connection_option is variadic.
static inline enum MHD_Result cmicrohttpd_set_timeout(struct MHD_Connection *_Nonnull connection,
                                                      unsigned int seconds) {
  return MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

/// The part of the kernel's state of a TCP connection that the deadlines need.
struct cmicrohttpd_tcp_state {
  /// The number of bytes that the kernel has received from the peer.
  uint64_t received;
  /// The milliseconds since the last of them arrived.
  uint32_t silence;
  /// Whether the peer has closed its sending side.
  bool has_ended;
  /// Whether only this side has closed its sending side.
  bool awaits_end;
};

/// Reads the state of a TCP socket (TCP_INFO). Returns 0, or -1 if it is not a TCP socket.
static inline int cmicrohttpd_tcp_state(int descriptor, struct cmicrohttpd_tcp_state *_Nonnull state) {
  // struct tcp_info of <linux/tcp.h>, which conflicts with <netinet/tcp.h>, whose own struct ends before
  // tcpi_bytes_received. The first byte is tcpi_state; tcpi_last_data_recv is at byte 52, and
  // tcpi_bytes_received at byte 128.
  uint64_t info[17] = {0};
  socklen_t size = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, info, &size) != 0 || size < sizeof info) return -1;
  state->received = info[16];
  memcpy(&state->silence, (const char *)info + 52, sizeof state->silence);
  const uint8_t value = *(const uint8_t *)info;
  state->has_ended = value == TCP_CLOSE_WAIT;
  state->awaits_end = value == TCP_FIN_WAIT1 || value == TCP_FIN_WAIT2;
  return 0;
}

/// Sets the flags of a response; MHD_set_response_options is variadic.
static inline enum MHD_Result cmicrohttpd_set_flags(struct MHD_Response *_Nonnull response,
                                                    enum MHD_ResponseFlags flags) {
  return MHD_set_response_options(response, flags, MHD_RO_END);
}

/// Accepts a nonblocking connection that no child process inherits; <sys/socket.h> declares accept4 for
/// GNU programs only.
int accept4(int, struct sockaddr *_Nullable, socklen_t *_Nullable, int);
static inline int cmicrohttpd_accept(int descriptor, struct sockaddr *_Nullable address,
                                     socklen_t *_Nullable size) {
  return accept4(descriptor, address, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

#endif
