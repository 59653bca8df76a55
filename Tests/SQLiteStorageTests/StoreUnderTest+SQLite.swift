import EmailAddresses
import GRDB
import MailingList
import TestSupport

@testable import SQLiteStorage

extension StoreUnderTest {
  /// Creates a SQLite store under test, which is inspected through its writer's connection.
  static func sqlite(_ store: SQLiteSubscriberStore) -> StoreUnderTest {
    StoreUnderTest(
      store,
      consentCount: { address in
        try store.withConnection { db in
          try Int.fetchOne(
            db,
            sql: """
              SELECT count(*) FROM consents WHERE kind = 'requested' AND subscriber_id =
                (SELECT id FROM subscribers WHERE address_key = ?)
              """,
            arguments: [address.key]
          ) ?? 0
        }
      },
      setState: { state, address in
        try store.withConnection { db in
          try db.execute(
            sql: "UPDATE subscribers SET state = ? WHERE address_key = ?",
            arguments: [state.rawValue, address.key]
          )
        }
      }
    )
  }
}
