/// The settings of a server, read after those of the session were set.
struct ServerFacts: Hashable, Sendable {
  /// The server's version, such as 150018 for 15.18.
  var version: Int
  /// `server_encoding`.
  var encoding = "UTF8"
  /// `fsync`.
  var syncsFiles = true
  /// `synchronous_commit`, which the session has set if it was off.
  var synchronousCommit = "on"
  /// `full_page_writes`.
  var writesFullPages = true
  /// `synchronous_standby_names`.
  var synchronousStandbyNames = ""
  /// Whether every role of the server may connect to the database.
  var isPublic = false
  /// Whether transactions are read-only, or the server is in recovery.
  var isReadOnly = false
  /// `statement_timeout` in milliseconds; -1 if it is not a number.
  var statementTimeout: Int
  /// `default_transaction_isolation`.
  var isolation = "read committed"
  /// The process id of the session, even behind a pooler in session mode.
  var backendID: Int32 = 0
}

/// The reason why a server is rejected.
package enum ServerRejection: Error, Hashable, Sendable {
  /// The server may lose acknowledged data.
  case notDurable(setting: String)
  /// The server is older than version 14.
  case tooOld(version: Int)
  /// The encoding of the database is not UTF-8.
  case encoding(String)
  /// The server or the role is read-only.
  case readOnly
  /// The session loses its settings or has no transactions: there is a pooler in transaction or
  /// statement mode.
  case pooler
  /// The schema `enlist` belongs to another program.
  case foreignSchema
  /// A newer release has changed the schema, and this program must not write to it.
  case schemaNewer(found: Int, worksFrom: Int, known: Int)
  /// The database contains an incomplete copy.
  case unfinishedCopy
  /// The sequences are behind the rows, and the role may not set them.
  case sequencesBehind
}

extension ServerRejection: CustomStringConvertible {
  /// The problem and its remedy.
  package var description: String {
    switch self {
    case .notDurable(let setting):
      "the database server has \(setting): a sign-up would not survive the loss of power"
    case .tooOld(let version):
      "the database server has version \(version / 10_000); version 14 or later is needed"
    case .encoding(let name):
      "the database has the encoding \(name); create it with the encoding UTF8"
    case .readOnly:
      "the database server is read-only, or a standby; give the address of the primary"
    case .pooler:
      """
      there is a pooler in transaction or statement mode in front of the database; give the direct \
      address, or that of its session mode
      """
    case .foreignSchema:
      "the schema enlist in the database belongs to another program; use another database"
    case .schemaNewer(let found, let worksFrom, let known):
      """
      the database has schema version \(found), which works with programs from version \
      \(worksFrom), but this program only knows \(known); use a later release
      """
    case .unfinishedCopy:
      "the database contains an incomplete copy; run the same enlist copy again"
    case .sequencesBehind:
      """
      the sequences are behind the rows, as after logical replication, and the role may not set \
      them: execute GRANT UPDATE ON ALL SEQUENCES IN SCHEMA enlist TO the role
      """
    }
  }
}

/// A risk of an accepted server, for the operator.
package enum ServerWarning: Hashable, Sendable, CaseIterable {
  /// `full_page_writes` is off.
  case partialPages
  /// The connection over a network does not verify the server's certificate and name.
  case weakTLS
  /// There is no synchronous standby.
  case noSynchronousStandby
  /// Every role of the server may connect to the database.
  case publicConnect
}

extension ServerWarning: CustomStringConvertible {
  /// The possible consequence.
  package var description: String {
    switch self {
    case .partialPages:
      "the database server has full_page_writes off: a crash may damage the database"
    case .weakTLS:
      "the connection to the database server does not verify its certificate and name"
    case .noSynchronousStandby:
      "the database server has no synchronous standby: a failover may lose acknowledged sign-ups"
    case .publicConnect:
      """
      every role of the database server may connect to the database and hold up its sign-ups: \
      execute REVOKE CONNECT ON DATABASE … FROM PUBLIC
      """
    }
  }
}

extension ServerFacts {
  /// The oldest accepted version.
  static let oldestVersion = 140_000

  /// Returns the first reason why the server is rejected; `nil` if it is accepted.
  ///
  /// - Parameters:
  ///   - statementTimeout: The timeout that the session has set, in milliseconds.
  ///   - mayRead: Whether a read-only server is accepted.
  func rejection(statementTimeout: Int, mayRead: Bool = false) -> ServerRejection? {
    if version < Self.oldestVersion { return .tooOld(version: version) }
    if encoding != "UTF8" { return .encoding(encoding) }
    if isReadOnly, !mayRead { return .readOnly }
    if !mayRead {
      if !syncsFiles { return .notDurable(setting: "fsync off") }
      if synchronousCommit == "off" { return .notDurable(setting: "synchronous_commit off") }
    }
    // If the settings are lost, another session has executed the query.
    guard self.statementTimeout == statementTimeout, isolation == "read committed" else {
      return .pooler
    }
    return nil
  }

  /// Returns the risks of the server, for the operator.
  func warnings(hasWeakTLS: Bool) -> [ServerWarning] {
    ServerWarning.allCases.filter { warning in
      switch warning {
      case .partialPages: !writesFullPages
      case .weakTLS: hasWeakTLS
      case .noSynchronousStandby: synchronousStandbyNames.isEmpty
      case .publicConnect: isPublic
      }
    }
  }
}
