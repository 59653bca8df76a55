// The TLS library of libmicrohttpd, to check a certificate before it is handed over, and to ask a
// service that speaks TLS for its health.
#ifndef CGNUTLS_SHIM_H
#define CGNUTLS_SHIM_H

#include <gnutls/gnutls.h>

#endif
