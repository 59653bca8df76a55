import TestSupport
import Testing

@testable import PostgreSQLStorage

/// A lock that holds up every transaction which adds an address that begins with `held`.
final class HeldTransactions {
  private let session: PostgreSQLSession

  /// Takes the lock.
  ///
  /// - Parameter list: A list whose schema a replica has made.
  /// - Throws: An error of the server.
  init(of list: ReplicatedList) throws {
    session = try list.session()
    try session.execute(
      script: """
        CREATE FUNCTION public.hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF NEW.address LIKE 'held%' THEN PERFORM pg_advisory_xact_lock_shared(1); END IF;
          RETURN NEW; END $$;
        CREATE TRIGGER hold BEFORE INSERT ON enlist.subscribers
          FOR EACH ROW EXECUTE FUNCTION public.hold();
        """,
      by: .soon
    )
    try session.execute(Query("SELECT pg_advisory_lock(1)::text"), by: .soon)
  }

  /// Waits until a transaction is held up.
  func waitForOne() throws {
    try Deadline.soon.wait { try session.count(Self.locks("NOT granted")) == 1 }
  }

  /// Lets all transactions continue.
  func release() throws {
    try session.execute(Query("SELECT pg_advisory_unlock(1)"), by: .soon)
  }

  /// Lets transactions pass that begin from now on; those that are held up stay so.
  func letOthersPass() throws {
    try session.execute(
      script: """
        CREATE OR REPLACE FUNCTION public.hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          RETURN NEW; END $$
        """,
      by: .soon
    )
  }

  /// Waits until the server has given up what was held up, with its locks.
  func waitForNone(by deadline: Deadline) throws {
    try deadline.wait { try session.count(Self.locks("pid <> pg_backend_pid()")) == 0 }
  }

  private static func locks(_ condition: String) -> String {
    """
    SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE locktype = 'advisory' AND datname = current_database() AND \(condition)
    """
  }
}
