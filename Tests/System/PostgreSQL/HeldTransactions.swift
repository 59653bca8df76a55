import Glibc
import TestSupport
import Testing

/// A transaction that keeps the locks of its statements until it is released.
final class HeldLocks {
  private let psql: Child

  init(_ sql: String, of list: ReplicatedList) throws {
    psql = try Child(["psql", "--no-psqlrc", "-c", "\(sql); SELECT pg_sleep(3600)", list.url])
    try eventually("the locks of \(sql): \(psql.errors)") {
      try list.count(
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event = 'PgSleep'
        """
      ) == 1
    }
  }

  deinit {
    _ = try? psql.wait(after: SIGINT)
  }

  /// Rolls the transaction back.
  func release() throws {
    try psql.wait(after: SIGINT)
  }
}

/// A lock that holds up every transaction which adds an address that begins with `held`.
final class HeldTransactions {
  private let list: ReplicatedList
  private let lock: HeldLocks

  /// Takes the lock in a list whose schema a replica has made.
  init(of list: ReplicatedList) throws {
    self.list = list
    try list.query(
      """
      CREATE FUNCTION public.hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.address LIKE 'held%' THEN PERFORM pg_advisory_xact_lock_shared(1); END IF;
        RETURN NEW; END $$;
      CREATE TRIGGER hold BEFORE INSERT ON enlist.subscribers
        FOR EACH ROW EXECUTE FUNCTION public.hold();
      """
    )
    lock = try HeldLocks("SELECT pg_advisory_xact_lock(1)", of: list)
  }

  /// Waits until a transaction is held up.
  func waitForOne() throws {
    try eventually("a transaction that waits") { try count("NOT granted") == 1 }
  }

  /// Lets all transactions continue.
  func release() throws { try lock.release() }

  /// Lets transactions pass that begin from now on; those that are held up stay so.
  func letOthersPass() throws {
    try list.query(
      """
      CREATE OR REPLACE FUNCTION public.hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RETURN NEW; END $$
      """
    )
  }

  /// Waits until the server has given up what was held up, with its locks.
  func waitForNone() throws {
    let isOwn = "objid = 1 AND mode = 'ExclusiveLock'"
    try eventually("the end of what was held up") { try count("NOT (\(isOwn))") == 0 }
  }

  /// Counts locks that are taken by name, such as those of addresses.
  private func count(_ condition: String) throws -> Int {
    try list.count(
      """
      SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
      WHERE locktype = 'advisory' AND datname = current_database() AND \(condition)
      """
    )
  }
}
