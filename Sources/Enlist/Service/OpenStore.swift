internal import Logging
internal import MailingList
internal import SQLiteStorage
internal import Signals

/// Opens the store that the settings name, to be written.
///
/// - Parameters:
///   - settings: Tell where the list is kept, and how long a write waits for a lock.
///   - scheduler: Where outcomes are delivered.
///   - logger: Where the operator is warned.
/// - Returns: The store, with its schema up to date.
/// - Throws: `StoreOpeningError` when it cannot be opened.
func openStore(
  _ settings: Settings,
  deliverOn scheduler: any Scheduler,
  logger: Logger
) throws(StoreOpeningError) -> any SubscriberStore {
  switch settings.database {
  case .sqlite(let path):
    try SQLiteSubscriberStore(
      path: path,
      configuration: .init(
        busyTimeout: settings.databaseTimeout,
        deliverOn: scheduler,
        warn: { logger.warning("\($0)") }
      )
    )
  }
}

/// Opens the store that the settings name, to be read beside a running service.
///
/// - Parameter settings: Tell where the list is kept.
/// - Returns: The reader.
/// - Throws: `StoreOpeningError` when it cannot be opened.
func openReader(_ settings: Settings) throws(StoreOpeningError) -> any SubscriberReader {
  switch settings.database {
  case .sqlite(let path):
    try SQLiteSubscriberReader(path: path, busyTimeout: settings.databaseTimeout)
  }
}

/// Opens the store that the settings name, to erase people from it next to a running service.
///
/// - Parameter settings: Tell where the list is kept, and how long to wait for the service's lock.
/// - Returns: What erases.
/// - Throws: `StoreOpeningError` when it cannot be opened.
func openEraser(_ settings: Settings) throws(StoreOpeningError) -> SQLiteSubscriberEraser {
  switch settings.database {
  case .sqlite(let path):
    try SQLiteSubscriberEraser(path: path, busyTimeout: settings.databaseTimeout)
  }
}
