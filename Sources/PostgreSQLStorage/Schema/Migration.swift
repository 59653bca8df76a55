internal import Platform
internal import CResources

/// A step of the schema.
struct Migration: Sendable {
  /// The version after the step, counted from 1.
  let version: Int
  /// The oldest version whose programs can use the schema after the step.
  let worksFrom: Int
  /// The statements, without those that begin and end the transaction.
  let sql: String
}

extension Migration {
  /// All steps, append-only: released ones are never edited, because databases have executed them.
  ///
  /// A function that an older release calls is never changed: a new function gets a new name, and
  /// the next release drops the old one.
  static let all = [
    Migration(
      version: 1,
      worksFrom: 1,
      sql: [
        resource_tables_sql(), resource_guards_sql(), resource_add_sign_ups_sql(),
        resource_number_pending_sql(), resource_keys_sql(), resource_webhooks_sql(),
      ]
      .map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: "\n")
    )
  ]
}
