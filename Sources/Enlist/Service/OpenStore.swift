internal import Logging
internal import MailingList
internal import Platform
internal import PostgreSQLStorage
internal import SQLiteStorage
internal import Security
internal import Signals

/// Opens the store of the settings for writing.
///
/// - Throws: `StoreOpeningError` or `PostgreSQLOpeningError`, as the other functions here.
func openStore(
  _ settings: Settings, _ optIn: OptIn, deliverOn scheduler: any Scheduler,
  metrics: MetricRegistry, logger: Logger
) throws -> any ListStore {
  switch settings.database {
  case .sqlite(let path):
    var configuration = storeConfiguration(settings, optIn, deliverOn: scheduler, logger: logger)
    configuration.metrics = CommitMetrics(metrics)
    return try SQLiteSubscriberStore(path: path, configuration: configuration)
  case .postgresql(let parameters, _):
    var configuration = PostgreSQLSubscriberStore.Configuration(
      timeout: settings.serverTimeout, deliverOn: scheduler, optIn: optIn, keyring: settings.secret,
      purgeInterval: .seconds(3600),
      report: { logger.log(level: $0.isInformation ? .info : .warning, "\($0)") })
    configuration.metrics = metrics
    configuration.eventRetention = settings.eventRetention
    return try PostgreSQLSubscriberStore(parameters, configuration: configuration)
  }
}

extension Settings {
  var serverTimeout: Duration { max(self.databaseTimeout, .seconds(1)) }
}

/// Creates the configuration of a store in a file, which purges expired data hourly, and detects
/// within a second that another program has changed the file.
func storeConfiguration(
  _ settings: Settings, _ optIn: OptIn, deliverOn scheduler: any Scheduler, logger: Logger
) -> SQLiteSubscriberStore.Configuration {
  var configuration = SQLiteSubscriberStore.Configuration(
    busyTimeout: settings.databaseTimeout, deliverOn: scheduler, optIn: optIn,
    keyring: settings.secret, purgeInterval: .seconds(3600),
    warn: { logger.log(level: $0.isError ? .error : .warning, "\($0)") })
  configuration.checkInterval = .seconds(1)
  configuration.eventRetention = settings.eventRetention
  return configuration
}

/// Opens the store of the settings for reading, even while the service is running.
func openReader(_ settings: Settings) throws -> any ReadableList {
  switch settings.database {
  case .sqlite(let path):
    try SQLiteSubscriberReader(path: path, busyTimeout: settings.databaseTimeout)
  case .postgresql(let parameters, _):
    try PostgreSQLSubscriberReader(parameters, timeout: settings.serverTimeout)
  }
}

/// Connects a command to the database of the settings, even while the service is running.
///
/// - Parameter mayOnlyRead: Whether a standby is accepted.
func openAccess(_ settings: Settings, mayOnlyRead: Bool = false) throws -> any CommandAccess {
  switch settings.database {
  case .sqlite(let path):
    try CommandDatabase(path: path, busyTimeout: settings.databaseTimeout)
  case .postgresql(let parameters, _):
    try CommandConnection(parameters, timeout: settings.serverTimeout, mayRead: mayOnlyRead)
  }
}

/// Reads the secret of the settings or of the database, also of a standby.
///
/// - Throws: Also if there is no secret.
func readKeyring(_ settings: Settings) throws -> Keyring {
  if let secret = settings.secret { return secret }
  let access = try openAccess(settings, mayOnlyRead: true)
  defer { access.close() }
  return try access.storedSecret()
}
