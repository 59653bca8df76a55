#include "mail_rows.h"

#include <stdio.h>
#include <string.h>

#include "execution_id.h"
#include "mail_details.h"
#include "statement.h"

/// Values that Enlist stores: `subscribers.state`, and `outbox.kind`, where 0 stands for no mail.
enum { state_pending = 0, state_subscribed = 1, state_suppressed = 3 };
enum { kind_none = 0, kind_confirm = 1, kind_already = 2 };

/// The last value of `suppressions.reason` that concerns sign-ups; the next one is for the erased.
enum { last_reason = 4 };

// The statements of Enlist's SignUpWriter, which also finds suppressions by a second secret's hash.
static const char find_sql[] =
    "SELECT s.id, s.state, s.suppression, s.confirmed_at, s.unsubscribed_at, s.suppressed_at,"
    " s.rejections, x.reason, x.at"
    " FROM (SELECT 1) LEFT JOIN subscribers s ON s.address_key = ?1"
    " LEFT JOIN suppressions x ON x.key_hash = ?2";
static const char insert_sql[] =
    "INSERT INTO subscribers("
    " id, created_at, updated_at, requested_at, state, suppression, confirmed_at, unsubscribed_at,"
    " suppressed_at, rejections, address, address_key, requires_smtputf8, locale, fields"
    ") VALUES (?1, ?2, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
static const char update_sql[] =
    "UPDATE subscribers SET state = ?3, suppression = ?4, confirmed_at = ?5, unsubscribed_at = ?6,"
    " suppressed_at = ?7, rejections = ?8, updated_at = iif(?9, ?2, updated_at), requested_at = ?2"
    " WHERE id = ?1";
static const char consent_sql[] =
    "INSERT INTO consents("
    " subscriber_id, id, kind, at, text, source_url, origin, ip, user_agent, locale, next, fields"
    ") VALUES (?1, ?2, 'requested', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
static const char event_sql[] =
    "INSERT INTO events(at, type, subscriber_id, state) VALUES (?1, 1, ?2, ?3)";
static const char outbox_sql[] =
    "INSERT INTO outbox(queue, due_at, id, subscriber_id, consent_id, kind, created_at, mailbox)"
    " VALUES (?5 > 0, ?1, ?2, ?3, ?4, ?5, ?1, ?6)";
static const char last_id_sql[] =
    "SELECT max(highest_deleted, ifnull((SELECT max(id) FROM subscribers), 0)) FROM subscriber_ids";

static struct {
  sqlite3_stmt *find, *insert, *update, *consent, *event, *outbox, *last_id;
} statements;
static sqlite3_int64 next_id;

static bool read_next_id(void) {
  bool is_read = sqlite3_step(statements.last_id) == SQLITE_ROW;
  if (is_read) next_id = sqlite3_column_int64(statements.last_id, 0) + 1;
  sqlite3_reset(statements.last_id);
  return is_read;
}

static bool derive_keys(sqlite3 *database) {
  sqlite3_stmt *secret;
  if (!statement_prepare(database, "SELECT bytes FROM secret WHERE id = 1", &secret)) return false;
  bool has_keys = sqlite3_step(secret) == SQLITE_ROW &&
                  mail_details_derive_keys(sqlite3_column_blob(secret, 0),
                                           (size_t)sqlite3_column_bytes(secret, 0));
  sqlite3_finalize(secret);
  return has_keys;
}

bool mail_rows_open(sqlite3 *database) {
  if (!statement_prepare(database, find_sql, &statements.find) ||
      !statement_prepare(database, insert_sql, &statements.insert) ||
      !statement_prepare(database, update_sql, &statements.update) ||
      !statement_prepare(database, consent_sql, &statements.consent) ||
      !statement_prepare(database, event_sql, &statements.event) ||
      !statement_prepare(database, outbox_sql, &statements.outbox) ||
      !statement_prepare(database, last_id_sql, &statements.last_id)) {
    return false;
  }
  if (read_next_id() && derive_keys(database)) return true;
  fputs("HTTPFloor: the database has no ids or no secret\n", stderr);
  return false;
}

/// Rewrites the subscriber that was found: only the time of the sign-up changes.
///
/// - Returns: The kind of the mail. Where Enlist would decide by the dates, there is none.
static int update(sqlite3_int64 subscriber, const struct mail_details *details) {
  sqlite3_bind_int64(statements.update, 1, subscriber);
  sqlite3_bind_int64(statements.update, 2, details->time);
  for (int column = 1; column <= 6; column++) {
    sqlite3_bind_value(statements.update, column + 2,
                       sqlite3_column_value(statements.find, column));
  }
  sqlite3_bind_int(statements.update, 9, 0);
  switch (sqlite3_column_int(statements.find, 1)) {
    case state_pending: return kind_confirm;
    case state_subscribed: return kind_already;
    default: return kind_none;
  }
}

/// Adds a subscriber, who is suppressed if the address is.
///
/// - Returns: The kind of the mail.
static int insert(const struct request *request, const struct mail_details *details) {
  // NULL is 0, and no reason. Columns that are never bound stay NULL.
  const int reason = sqlite3_column_int(statements.find, 7);
  const bool is_suppressed = reason > 0 && reason <= last_reason;
  sqlite3_bind_int64(statements.insert, 1, next_id);
  sqlite3_bind_int64(statements.insert, 2, details->time);
  sqlite3_bind_int(statements.insert, 3, is_suppressed ? state_suppressed : state_pending);
  if (is_suppressed) {
    sqlite3_bind_int(statements.insert, 4, reason);
    sqlite3_bind_value(statements.insert, 7, sqlite3_column_value(statements.find, 8));
  } else {
    sqlite3_bind_null(statements.insert, 4);
    sqlite3_bind_null(statements.insert, 7);
  }
  sqlite3_bind_int(statements.insert, 8, 0);
  const int length = (int)request->address_length;
  sqlite3_bind_text(statements.insert, 9, request->address, length, SQLITE_STATIC);
  sqlite3_bind_text(statements.insert, 10, details->key, length, SQLITE_STATIC);
  sqlite3_bind_int(statements.insert, 11, 0);
  return is_suppressed ? kind_none : kind_confirm;
}

/// Runs the first two statements.
static bool store_subscriber(const struct request *request, sqlite3_int64 *subscriber, int *kind) {
  const struct mail_details *details = request->details;
  sqlite3_stmt *find = statements.find, *write;
  sqlite3_bind_text(find, 1, details->key, (int)request->address_length, SQLITE_STATIC);
  sqlite3_bind_blob(find, 2, details->suppression, mail_hash_length, SQLITE_STATIC);
  if (sqlite3_step(find) != SQLITE_ROW) {
    sqlite3_reset(find);
    return false;
  }
  if (sqlite3_column_type(find, 0) == SQLITE_NULL) {
    *kind = insert(request, details);
    *subscriber = next_id++;
    write = statements.insert;
  } else {
    *subscriber = sqlite3_column_int64(find, 0);
    *kind = update(*subscriber, details);
    write = statements.update;
  }
  sqlite3_reset(find);
  return statement_run(write);
}

bool mail_rows_store(struct request *request) {
  const struct mail_details *details = request->details;
  unsigned char consent_id[id_length], mail_id[id_length];
  sqlite3_int64 subscriber;
  int kind;
  if (!execution_id_make(details->time, consent_id) || !execution_id_make(details->time, mail_id) ||
      !store_subscriber(request, &subscriber, &kind)) {
    return false;
  }
  execution_id_write(consent_id, request->identifier);

  // The load sends nothing else that a consent keeps.
  sqlite3_bind_int64(statements.consent, 1, subscriber);
  sqlite3_bind_blob(statements.consent, 2, consent_id, id_length, SQLITE_STATIC);
  sqlite3_bind_int64(statements.consent, 3, details->time);
  sqlite3_bind_text(statements.consent, 7, details->network, -1, SQLITE_STATIC);
  if (!statement_run(statements.consent)) return false;

  sqlite3_bind_int64(statements.event, 1, details->time);
  sqlite3_bind_int64(statements.event, 2, subscriber);
  sqlite3_bind_int(statements.event, 3, state_pending);
  if (!statement_run(statements.event)) return false;

  sqlite3_bind_int64(statements.outbox, 1, details->time);
  sqlite3_bind_blob(statements.outbox, 2, mail_id, id_length, SQLITE_STATIC);
  sqlite3_bind_int64(statements.outbox, 3, subscriber);
  sqlite3_bind_blob(statements.outbox, 4, consent_id, id_length, SQLITE_STATIC);
  sqlite3_bind_int(statements.outbox, 5, kind);
  sqlite3_bind_blob(statements.outbox, 6, details->mailbox, mail_hash_length, SQLITE_STATIC);
  return statement_run(statements.outbox);
}

void mail_rows_rolled_back(void) {
  // If it cannot be read, neither can the next transaction be stored.
  read_next_id();
}

void mail_rows_close(void) {
  sqlite3_finalize(statements.find);
  sqlite3_finalize(statements.insert);
  sqlite3_finalize(statements.update);
  sqlite3_finalize(statements.consent);
  sqlite3_finalize(statements.event);
  sqlite3_finalize(statements.outbox);
  sqlite3_finalize(statements.last_id);
}
