#include "postgresql_store.h"

#include <arpa/inet.h>
#include <endian.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>

#include "execution_id.h"
#include "mail_details.h"

/// The most sign-ups per call, as in Enlist, and the most bytes of an element.
enum { batch_limit = 128, element_limit = 254 };

/// The parameters of `enlist.add_sign_ups`, in order.
enum parameter {
  again, is_double, ids, times, addresses, keys, key_hashes, previous_hashes, smtputf8, locales,
  texts, sources, origins, ips, agents, nexts, fields, mails, mailboxes, parameter_count
};

/// Types of the server, by their numbers in `pg_type`.
enum { type_bool = 16, type_bytea = 17, type_text = 25, type_time = 1184 };
enum { bool_array = 1000, bytea_array = 1001, text_array = 1009, time_array = 1185 };

static const Oid types[parameter_count] = {
    type_bool,   type_bool,  bytea_array, time_array, text_array, text_array,
    bytea_array, bytea_array, bool_array, text_array, text_array, text_array,
    text_array,  text_array, text_array,  text_array, text_array, bytea_array, bytea_array,
};

static const char sql[] =
    "SELECT enlist.add_sign_ups($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,"
    " $16, $17, $18, $19)";

/// The server's times begin in 2000.
static const int64_t milliseconds_until_2000 = 946684800000;

/// An array in binary format: dimensions, whether there are nulls, the type, the count and the first
/// index, then each element with its length.
struct array {
  size_t length;
  char bytes[20 + batch_limit * (4 + element_limit)];
};

static PGconn *connection;
static struct array arrays[parameter_count];

static void put(char *bytes, uint32_t number) {
  number = htonl(number);
  memcpy(bytes, &number, sizeof number);
}

static Oid element_type(Oid array) {
  switch (array) {
    case bool_array: return type_bool;
    case bytea_array: return type_bytea;
    case time_array: return type_time;
    default: return type_text;
  }
}

static void begin(enum parameter parameter, int count) {
  struct array *array = &arrays[parameter];
  put(array->bytes, 1);
  put(array->bytes + 4, 0);
  put(array->bytes + 8, element_type(types[parameter]));
  put(array->bytes + 12, (uint32_t)count);
  put(array->bytes + 16, 1);
  array->length = 20;
}

static void append(enum parameter parameter, const void *value, size_t length) {
  struct array *array = &arrays[parameter];
  put(array->bytes + array->length, (uint32_t)length);
  memcpy(array->bytes + array->length + 4, value, length);
  array->length += 4 + length;
}

static void append_null(enum parameter parameter) {
  struct array *array = &arrays[parameter];
  array->bytes[7] = 1;
  put(array->bytes + array->length, UINT32_MAX);
  array->length += 4;
}

/// Appends a sign-up to all arrays; the load sends nothing else that a consent keeps.
static bool append_request(struct request *request) {
  const struct mail_details *details = request->details;
  unsigned char id[id_length];
  if (!execution_id_make(details->time, id)) return false;
  execution_id_write(id, request->identifier);
  uint64_t time = htobe64((uint64_t)(details->time - milliseconds_until_2000) * 1000);
  append(ids, id, sizeof id);
  append(times, &time, sizeof time);
  append(addresses, request->address, request->address_length);
  append(keys, details->key, request->address_length);
  append(key_hashes, details->suppression, mail_hash_length);
  append(smtputf8, "", 1);
  append(ips, details->network, strlen(details->network));
  append_null(previous_hashes);
  for (enum parameter parameter = locales; parameter < parameter_count; parameter++) {
    if (parameter != ips) append_null(parameter);
  }
  return true;
}

/// Calls the function.
///
/// - Returns: For each sign-up, its length and whether it won its gate; NULL if nothing was stored.
///   The caller frees the result.
static const char *call(PGresult **result, int count) {
  const char *values[parameter_count];
  int lengths[parameter_count], formats[parameter_count];
  for (int parameter = 0; parameter < parameter_count; parameter++) {
    formats[parameter] = 1;
    values[parameter] = parameter < ids ? "" : arrays[parameter].bytes;
    lengths[parameter] = parameter < ids ? 1 : (int)arrays[parameter].length;
  }
  *result = PQexecParams(connection, sql, parameter_count, types, values, lengths, formats, 1);
  if (PQresultStatus(*result) == PGRES_TUPLES_OK && PQgetlength(*result, 0, 0) == 20 + 5 * count) {
    return PQgetvalue(*result, 0, 0) + 20;
  }
  fprintf(stderr, "HTTPFloor: %s\n", PQresultErrorMessage(*result));
  return NULL;
}

bool postgresql_store_open(const char *url) {
  connection = PQconnectdb(url);
  if (PQstatus(connection) != CONNECTION_OK) {
    fprintf(stderr, "HTTPFloor: %s\n", PQerrorMessage(connection));
    return false;
  }
  PGresult *secret = PQexecParams(connection, "SELECT bytes FROM enlist.secret WHERE id = 1", 0,
                                  NULL, NULL, NULL, NULL, 1);
  bool has_keys = PQntuples(secret) == 1 &&
                  mail_details_derive_keys(PQgetvalue(secret, 0, 0),
                                           (size_t)PQgetlength(secret, 0, 0));
  PQclear(secret);
  if (!has_keys) fputs("HTTPFloor: the database has no secret\n", stderr);
  return has_keys;
}

void postgresql_store_write(struct request *first) {
  while (first) {
    int count = 0;
    for (struct request *next = first; next && count < batch_limit; next = next->next) count++;
    for (enum parameter parameter = ids; parameter < parameter_count; parameter++) {
      begin(parameter, count);
    }
    bool is_complete = true;
    struct request *end = first;
    for (int index = 0; index < count; index++, end = end->next) {
      is_complete = is_complete && append_request(end);
    }
    PGresult *result = NULL;
    const char *wins = is_complete ? call(&result, count) : NULL;
    while (first != end) {
      struct request *request = first;
      first = request->next;
      request->status = !wins ? 503 : wins[4] ? 202 : 409;
      if (wins) wins += 5;
      MHD_resume_connection(request->connection);
    }
    PQclear(result);
  }
}

void postgresql_store_close(void) {
  PQfinish(connection);
}
