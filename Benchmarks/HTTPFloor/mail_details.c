#include "mail_details.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned char mailbox_key[mail_hash_length], suppression_key[mail_hash_length];

static bool derive(const gnutls_datum_t *secret, const char *purpose, unsigned char *key) {
  unsigned char extracted[mail_hash_length];
  const gnutls_datum_t salt = {NULL, 0}, pseudorandom = {extracted, sizeof extracted};
  const gnutls_datum_t info = {(unsigned char *)purpose, (unsigned int)strlen(purpose)};
  return gnutls_hkdf_extract(GNUTLS_MAC_SHA256, secret, &salt, extracted) == 0 &&
         gnutls_hkdf_expand(GNUTLS_MAC_SHA256, &pseudorandom, &info, key, mail_hash_length) == 0;
}

bool mail_details_derive_keys(const void *secret, size_t length) {
  const gnutls_datum_t bytes = {(unsigned char *)secret, (unsigned int)length};
  return derive(&bytes, "enlist mailbox", mailbox_key) &&
         derive(&bytes, "enlist suppression", suppression_key);
}

static bool hash(const char *text, size_t length, const unsigned char *key, unsigned char *result) {
  return gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, mail_hash_length, text, length, result) == 0;
}

/// Hashes the mailbox of an address: what is before a `+`, if anything is, and the domain.
static bool hash_mailbox(struct mail_details *details, size_t length) {
  char mailbox[sizeof details->key];
  const char *at = memchr(details->key, '@', length);
  size_t name_length = (size_t)(at - details->key), domain_length = length - name_length;
  const char *tag = memchr(details->key, '+', name_length);
  if (tag && tag > details->key) name_length = (size_t)(tag - details->key);
  memcpy(mailbox, details->key, name_length);
  memcpy(mailbox + name_length, at, domain_length);
  return hash(mailbox, name_length + domain_length, mailbox_key, details->mailbox);
}

static bool find_network(struct MHD_Connection *connection, char *text) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (!info) return false;
  struct in_addr network = ((const struct sockaddr_in *)info->client_addr)->sin_addr;
  network.s_addr &= htonl(0xFFFFFF00);
  return inet_ntop(AF_INET, &network, text, INET_ADDRSTRLEN) != NULL;
}

bool mail_details_make(struct request *request, bool has_mailbox) {
  struct mail_details *details = malloc(sizeof *details);
  if (!details) return false;
  request->details = details;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  details->time = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
  for (size_t index = 0; index < request->address_length; index++) {
    details->key[index] = (char)tolower((unsigned char)request->address[index]);
  }
  return find_network(request->connection, details->network) &&
         (!has_mailbox || hash_mailbox(details, request->address_length)) &&
         hash(details->key, request->address_length, suppression_key, details->suppression);
}
