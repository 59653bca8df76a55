/// What a sign-up with a mail stores besides the address.
#ifndef HTTPFLOOR_MAIL_DETAILS_H
#define HTTPFLOOR_MAIL_DETAILS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "request.h"

enum { mail_hash_length = 32 };

struct mail_details {
  /// Unix time in milliseconds.
  int64_t time;
  /// The client's IPv4 address with 0 as its last part.
  char network[INET_ADDRSTRLEN];
  /// The address in lowercase, without a zero byte at its end.
  char key[254];
  /// The keyed hash of the address without a tag after `+`.
  unsigned char mailbox[mail_hash_length];
  /// The keyed hash of the address.
  unsigned char suppression[mail_hash_length];
};

/// Derives the keys of the hashes from Enlist's secret, by HKDF-SHA-256.
///
/// Call it before any request arrives.
bool mail_details_derive_keys(const void *secret, size_t length);

/// Makes the details of a request with a valid address, in the daemon's thread.
///
/// - Parameter has_mailbox: Whether the hash of the mailbox is needed.
/// - Returns: Whether there was enough memory for them.
bool mail_details_make(struct request *request, bool has_mailbox);

#endif
