import EmailAddresses
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
          let count = try db.number(
            """
            SELECT count(*) FROM consents WHERE kind = 'requested' AND subscriber_id =
              (SELECT id FROM subscribers WHERE address_key = '\(address.key)')
            """
          )
          return Int(count ?? 0)
        }
      },
      setState: { state, address in
        try store.withConnection { db in
          try db.execute(
            "UPDATE subscribers SET state = \(state.rawValue) WHERE address_key = '\(address.key)'")
        }
      }
    )
  }
}
