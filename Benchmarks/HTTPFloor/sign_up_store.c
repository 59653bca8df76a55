#include "sign_up_store.h"

#include <ctype.h>
#include <sqlite3.h>
#include <time.h>

#include "mail_rows.h"
#include "random_pool.h"
#include "statement.h"

/// The maximum number of sign-ups per transaction.
enum { batch_limit = 256 };

static sqlite3 *database;
static bool has_outbox;
static struct {
  sqlite3_stmt *begin, *commit, *rollback, *subscriber, *consent, *event;
} statements;

static bool execute(const char *sql) {
  return statement_is_fine(database, sqlite3_exec(database, sql, NULL, NULL, NULL));
}

static bool prepare(const char *sql, sqlite3_stmt **statement) {
  return statement_prepare(database, sql, statement);
}

/// Makes the tables without an outbox, and prepares their statements.
static bool open_tables(void) {
  const char *schema =
      "CREATE TABLE IF NOT EXISTS subscribers("
      "  id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE, state INTEGER NOT NULL,"
      "  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);"
      "CREATE TABLE IF NOT EXISTS consents("
      "  id INTEGER PRIMARY KEY, subscriber_id INTEGER NOT NULL, kind INTEGER NOT NULL,"
      "  at INTEGER NOT NULL);"
      "CREATE TABLE IF NOT EXISTS events("
      "  position INTEGER PRIMARY KEY, at INTEGER NOT NULL, type INTEGER NOT NULL,"
      "  subscriber_id INTEGER NOT NULL, state INTEGER NOT NULL);";
  const char *subscriber =
      "INSERT INTO subscribers(address, state, created_at, updated_at) VALUES (?1, 0, ?2, ?2)"
      " ON CONFLICT(address) DO UPDATE SET updated_at = excluded.updated_at RETURNING id";
  const char *consent = "INSERT INTO consents(subscriber_id, kind, at) VALUES (?1, 1, ?2)";
  const char *event =
      "INSERT INTO events(at, type, subscriber_id, state) VALUES (?2, 1, ?1, 0)";
  return execute(schema) && prepare(subscriber, &statements.subscriber) &&
         prepare(consent, &statements.consent) && prepare(event, &statements.event);
}

bool sign_up_store_open(const char *path, bool with_outbox) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  has_outbox = with_outbox;
  int code = sqlite3_open_v2(path, &database, flags, NULL);
  return statement_is_fine(database, code) &&
         execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;") &&
         prepare("BEGIN IMMEDIATE", &statements.begin) &&
         prepare("COMMIT", &statements.commit) && prepare("ROLLBACK", &statements.rollback) &&
         // Enlist checks foreign keys, and a consent has one.
         (has_outbox ? execute("PRAGMA foreign_keys = ON") && mail_rows_open(database)
                     : open_tables());
}

/// Makes a random execution id.
static bool make_identifier(char *text) {
  const unsigned char *bytes = random_pool_take();
  if (!bytes) return false;
  for (int index = 0; index < random_pool_length; index++) {
    *text++ = "0123456789abcdef"[bytes[index] >> 4];
    *text++ = "0123456789abcdef"[bytes[index] & 15];
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
  if (!statement_run(statements.consent)) return false;

  sqlite3_bind_int64(statements.event, 1, identifier);
  sqlite3_bind_int64(statements.event, 2, now);
  return statement_run(statements.event);
}

static bool store(struct request *request, sqlite3_int64 now) {
  if (has_outbox) return mail_rows_store(request);
  return make_identifier(request->identifier) && insert(request, now);
}

void sign_up_store_write(struct request *first) {
  while (first) {
    const sqlite3_int64 now = time(NULL);
    bool is_stored = statement_run(statements.begin);
    struct request *end = first;
    for (int count = 0; end && count < batch_limit; count++, end = end->next) {
      is_stored = is_stored && store(end, now);
    }
    is_stored = is_stored && statement_run(statements.commit);
    if (!is_stored) {
      if (!sqlite3_get_autocommit(database)) statement_run(statements.rollback);
      if (has_outbox) mail_rows_rolled_back();
    }
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
  sqlite3_finalize(statements.event);
  if (has_outbox) mail_rows_close();
  sqlite3_close_v2(database);
}
