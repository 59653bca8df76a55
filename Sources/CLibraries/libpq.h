/* libpq, the client library of PostgreSQL, and eventfd, which Swift's Glibc module omits. */

#ifndef CLIBPQ_SHIM_H
#define CLIBPQ_SHIM_H

#include <libpq-fe.h>
#include <stdio.h>
#include <sys/eventfd.h>

/* Copies the SQLSTATE of a notice or warning. The end of a session is one, too. The text is dropped,
   because it may quote an address; libpq prints it to standard error. */
static inline void clibpq_keep_state (void *state, const PGresult *result)
{
  const char *code = PQresultErrorField (result, PG_DIAG_SQLSTATE);
  if (code != NULL)
    snprintf ((char *) state, 6, "%s", code);
}

/* Keeps the SQLSTATE of the last notice in six bytes, which must outlive the connection. */
static inline void clibpq_keep_states (PGconn *connection, char *state)
{
  PQsetNoticeReceiver (connection, clibpq_keep_state, state);
}

/* The field code of the SQLSTATE, a macro that Swift does not import. */
static const int clibpq_sqlstate = PG_DIAG_SQLSTATE;

#endif
