/* The resolver of the C library. Its state and its messages are macros and structs that Swift does
   not see; these functions are inlined. */

#ifndef CRESOLVER_SHIM_H
#define CRESOLVER_SHIM_H

#include <arpa/nameser.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes a state of its own: one thread at a time may use it. A server of port 0 is the system's. */
static inline struct __res_state *_Nullable cresolver_open (uint32_t server, uint16_t port)
{
  struct __res_state *state = calloc (1, sizeof (struct __res_state));
  if (state == NULL) return NULL;
  if (res_ninit (state) != 0) { free (state); return NULL; }
  if (port != 0) {
    state->nscount = 1;
    memset (&state->nsaddr_list[0], 0, sizeof (struct sockaddr_in));
    state->nsaddr_list[0].sin_family = AF_INET;
    state->nsaddr_list[0].sin_addr.s_addr = htonl (server);
    state->nsaddr_list[0].sin_port = htons (port);
  }
  /* Seconds, and how often each server is asked. */
  state->retrans = 1;
  state->retry = 1;
  return state;
}

static inline void cresolver_close (struct __res_state *_Nonnull state)
{
  res_nclose (state);
  free (state);
}

/* Asks; the length of the answer, or what <netdb.h> says of the failure, negated. */
static inline int cresolver_ask (struct __res_state *_Nonnull state, const char *_Nonnull name, int type,
                                 unsigned char *_Nonnull answer, int capacity)
{
  int length = res_nquery (state, name, ns_c_in, type, answer, capacity);
  if (length < 0) return state->res_h_errno > 0 ? -state->res_h_errno : -TRY_AGAIN;
  return length < capacity ? length : capacity;
}

/* Reads a record of an answer's answer section: 1; 0 when there is none of that index, -1 when the
   answer is damaged, or was cut off since it is longer than its buffer. */
static inline int cresolver_record (const unsigned char *_Nonnull answer, int length, int index,
                                    int *_Nonnull type, uint32_t *_Nonnull ttl,
                                    const unsigned char *_Nullable *_Nonnull data, int *_Nonnull count)
{
  ns_msg message;
  ns_rr record;
  if (ns_initparse (answer, length, &message) != 0) return -1;
  if (index >= ns_msg_count (message, ns_s_an)) return 0;
  if (ns_parserr (&message, ns_s_an, index, &record) != 0) return -1;
  *type = ns_rr_type (record);
  *ttl = ns_rr_ttl (record);
  *data = ns_rr_rdata (record);
  *count = ns_rr_rdlen (record);
  return 1;
}

#endif
