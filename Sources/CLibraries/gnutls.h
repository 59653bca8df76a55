// GnuTLS, the TLS library that libmicrohttpd uses: for checking certificates, for writing TLS records to
// sockets that were taken over from libmicrohttpd, and for the health check of a service with TLS.
#ifndef CGNUTLS_SHIM_H
#define CGNUTLS_SHIM_H

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/// The type of a hook for every message of a handshake; Swift cannot import the macro.
static const unsigned int gnutls_any_handshake = GNUTLS_HANDSHAKE_ANY;

#endif
