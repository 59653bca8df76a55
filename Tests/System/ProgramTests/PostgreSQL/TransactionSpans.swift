import TestSupport

@testable import PostgreSQLStorage

/// When each transaction that stores an address has begun to, and when it ended, by triggers.
final class TransactionSpans {
  private let session: PostgreSQLSession

  /// Begins to record, and slows each sign-up down, so that others come meanwhile.
  ///
  /// - Parameter list: A list whose schema a replica has made.
  /// - Throws: An error of the server.
  init(of list: ReplicatedList) throws {
    session = try list.session()
    try session.execute(
      script: """
        CREATE TABLE public.spans(
          key text, transaction bigint, at timestamptz DEFAULT clock_timestamp());
        CREATE FUNCTION public.begin_span() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          INSERT INTO public.spans VALUES (NEW.address_key, txid_current());
          PERFORM pg_sleep(0.002); RETURN NEW; END $$;
        CREATE FUNCTION public.end_span() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          INSERT INTO public.spans
            SELECT address_key, txid_current() FROM enlist.subscribers
            WHERE id = NEW.subscriber_id;
          RETURN NULL; END $$;
        CREATE TRIGGER begin_span BEFORE INSERT ON enlist.subscribers
          FOR EACH ROW EXECUTE FUNCTION public.begin_span();
        CREATE CONSTRAINT TRIGGER end_span AFTER INSERT ON enlist.consents
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.end_span();
        """,
      by: .soon
    )
  }

  /// Counts the spans: one for each address of a transaction.
  func count() throws -> Int { try session.count("\(Self.spans) SELECT count(*) FROM spans") }

  /// Counts the pairs of transactions that stored the same address at the same time.
  func overlapCount() throws -> Int {
    try session.count(
      """
      \(Self.spans) SELECT count(*) FROM spans a JOIN spans b
        ON a.key = b.key AND a.transaction < b.transaction
        AND a.beginning < b.ending AND b.beginning < a.ending
      """
    )
  }

  /// The spans of transactions that were committed: from the gate to the commit.
  private static let spans = """
    WITH spans AS (
      SELECT key, transaction, min(at) AS beginning, max(at) AS ending FROM public.spans
      GROUP BY key, transaction HAVING count(*) = 2
    )
    """
}
