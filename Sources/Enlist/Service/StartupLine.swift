internal import Logging
internal import MailingList

extension Settings {
  /// Returns the metadata of the log line at startup.
  ///
  /// The line contains the effective settings that matter to an operator, and no secrets.
  func startupMetadata(address: String) -> Logger.Metadata {
    let (optIn, reason) = effectiveOptIn
    var metadata: Logger.Metadata = [
      "version": "\(EnlistCommand.versionNumber)",
      "address": "\(address)",
      "database": "\(URLPassword.hidden(in: database.description))",
      "opt-in": "\(optIn.rawValue)",
      "opt-in-reason": "\(reason)",
      "threads": "\(threads)",
      "max-connections": "\(maxConnections)",
      "max-connections-per-client": "\(maxConnectionsPerClient)",
      "max-streams": "\(maxStreams)",
      "max-streams-per-client": "\(maxStreamsPerClient)",
      "connection-rate": "\(connectionRate.text)",
      "max-body": "\(maxBody)",
      "body-memory": "\(bodyMemory)",
      "request-timeout": "\(DurationText.text(of: requestTimeout))",
      "signup-rate": "\(signupRate.text)",
      "check-rate": "\(checkRate.text)",
      "stream-rate": "\(streamRate.text)",
    ]
    if operatorListen != nil {
      metadata["operator-max-connections"] = "\(operatorMaxConnections)"
    }
    return metadata
  }
}
