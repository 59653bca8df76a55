internal import Logging
internal import MailingList
internal import SQLiteStorage
internal import Signals

/// Opens the store of the settings for writing.
///
/// - Parameters:
///   - settings: Contain the location of the database and the time a write waits for a lock.
///   - scheduler: Delivers outcomes.
///   - logger: Receives warnings for the operator.
/// - Returns: The store, with its schema up to date.
/// - Throws: `StoreOpeningError` if the store cannot be opened.
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

/// Opens the store of the settings for reading, even while the service is running.
///
/// - Parameter settings: Contain the location of the database and the time to wait for a lock.
/// - Returns: The reader.
/// - Throws: `StoreOpeningError` if the store cannot be opened.
func openReader(
  _ settings: Settings
) throws(StoreOpeningError) -> any SubscriberReader & ConsentReader {
  switch settings.database {
  case .sqlite(let path):
    try SQLiteSubscriberReader(path: path, busyTimeout: settings.databaseTimeout)
  }
}

/// Opens the store of the settings for erasing people, even while the service is running.
///
/// - Parameter settings: Contain the location of the database and the time to wait for a lock.
/// - Returns: The eraser.
/// - Throws: `StoreOpeningError` if the store cannot be opened.
func openEraser(_ settings: Settings) throws(StoreOpeningError) -> SQLiteSubscriberEraser {
  switch settings.database {
  case .sqlite(let path):
    try SQLiteSubscriberEraser(path: path, busyTimeout: settings.databaseTimeout)
  }
}
