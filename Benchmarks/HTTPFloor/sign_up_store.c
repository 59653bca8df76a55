#include "sign_up_store.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/// The maximum number of sign-ups per transaction.
enum { batch_limit = 256 };

static sqlite3 *database;
static struct {
  sqlite3_stmt *begin, *commit, *rollback, *subscriber, *consent;
} statements;

static bool is_fine(int code) {
  if (code == SQLITE_OK) return true;
  fprintf(stderr, "HTTPFloor: %s\n", sqlite3_errmsg(database));
  return false;
}

static bool prepare(const char *sql, sqlite3_stmt **statement) {
  return is_fine(
      sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL));
}

bool sign_up_store_open(const char *path) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const char *schema =
      "PRAGMA journal_mode = WAL;"
      "PRAGMA synchronous = FULL;"
      "CREATE TABLE IF NOT EXISTS subscribers("
      "  id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE, state INTEGER NOT NULL,"
      "  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);"
      "CREATE TABLE IF NOT EXISTS consents("
      "  id INTEGER PRIMARY KEY, subscriber_id INTEGER NOT NULL, kind INTEGER NOT NULL,"
      "  at INTEGER NOT NULL);";
  const char *subscriber =
      "INSERT INTO subscribers(address, state, created_at, updated_at) VALUES (?1, 0, ?2, ?2)"
      " ON CONFLICT(address) DO UPDATE SET updated_at = excluded.updated_at RETURNING id";
  const char *consent = "INSERT INTO consents(subscriber_id, kind, at) VALUES (?1, 1, ?2)";
  return is_fine(sqlite3_open_v2(path, &database, flags, NULL)) &&
         is_fine(sqlite3_exec(database, schema, NULL, NULL, NULL)) &&
         prepare("BEGIN IMMEDIATE", &statements.begin) &&
         prepare("COMMIT", &statements.commit) && prepare("ROLLBACK", &statements.rollback) &&
         prepare(subscriber, &statements.subscriber) && prepare(consent, &statements.consent);
}

static bool run(sqlite3_stmt *statement) {
  bool is_done = sqlite3_step(statement) == SQLITE_DONE;
  sqlite3_reset(statement);
  return is_done;
}

/// A random execution id, as in the service itself. One call of the kernel gets bytes for 16.
static bool make_identifier(char *text) {
  static unsigned char bytes[256];
  static size_t next = sizeof bytes;
  if (next == sizeof bytes) {
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return false;
    next = 0;
  }
  for (size_t end = next + 16; next < end; next++) {
    *text++ = "0123456789abcdef"[bytes[next] >> 4];
    *text++ = "0123456789abcdef"[bytes[next] & 15];
  }
  *text = '\0';
  return true;
}

static bool insert(struct request *request, sqlite3_int64 now) {
  char address[255];
  for (size_t index = 0; index < request->address_length; index++) {
    address[index] = (char)tolower((unsigned char)request->address[index]);
  }
  sqlite3_stmt *subscriber = statements.subscriber;
  sqlite3_bind_text(subscriber, 1, address, (int)request->address_length, SQLITE_STATIC);
  sqlite3_bind_int64(subscriber, 2, now);
  if (sqlite3_step(subscriber) != SQLITE_ROW) {
    sqlite3_reset(subscriber);
    return false;
  }
  sqlite3_int64 identifier = sqlite3_column_int64(subscriber, 0);
  sqlite3_reset(subscriber);

  sqlite3_bind_int64(statements.consent, 1, identifier);
  sqlite3_bind_int64(statements.consent, 2, now);
  return run(statements.consent);
}

void sign_up_store_write(struct request *first) {
  while (first) {
    const sqlite3_int64 now = time(NULL);
    bool is_stored = run(statements.begin);
    struct request *end = first;
    for (int count = 0; end && count < batch_limit; count++, end = end->next) {
      is_stored = is_stored && make_identifier(end->identifier) && insert(end, now);
    }
    is_stored = is_stored && run(statements.commit);
    if (!is_stored && !sqlite3_get_autocommit(database)) run(statements.rollback);
    while (first != end) {
      struct request *request = first;
      first = request->next;
      request->status = is_stored ? 202 : 503;
      MHD_resume_connection(request->connection);
    }
  }
}

void sign_up_store_close(void) {
  sqlite3_finalize(statements.begin);
  sqlite3_finalize(statements.commit);
  sqlite3_finalize(statements.rollback);
  sqlite3_finalize(statements.subscriber);
  sqlite3_finalize(statements.consent);
  sqlite3_close_v2(database);
}
