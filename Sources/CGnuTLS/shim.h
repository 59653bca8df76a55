// The TLS library of libmicrohttpd, to check a certificate before it is handed over, to seal what is
// sent past libmicrohttpd, and to ask a service that speaks TLS for its health.
#ifndef CGNUTLS_SHIM_H
#define CGNUTLS_SHIM_H

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#endif
