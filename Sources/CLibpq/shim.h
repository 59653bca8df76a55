/* libpq, the client library of PostgreSQL, and eventfd, which Swift's Glibc module omits. */

#ifndef CLIBPQ_SHIM_H
#define CLIBPQ_SHIM_H

#include <libpq-fe.h>
#include <sys/eventfd.h>

/* Drops notices and warnings, which may quote an address; libpq prints them to standard error. */
static inline void clibpq_drop_notice (void *context, const PGresult *result)
{
  (void) context;
  (void) result;
}

static inline void clibpq_drop_notices (PGconn *connection)
{
  PQsetNoticeReceiver (connection, clibpq_drop_notice, NULL);
}

/* The field code of the SQLSTATE, a macro that Swift does not import. */
static const int clibpq_sqlstate = PG_DIAG_SQLSTATE;

#endif
