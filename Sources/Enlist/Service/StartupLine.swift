internal import Logging

extension Settings {
  /// What the log says when connections are accepted: what an operator has to know of the settings
  /// in force, and no secret.
  ///
  /// - Parameter address: Where the service listens.
  /// - Returns: The pairs of the line.
  func startupMetadata(address: String) -> Logger.Metadata {
    [
      "version": "\(EnlistCommand.versionNumber)",
      "address": "\(address)",
      "database": "\(URLPassword.hidden(in: database.description))",
      // Mail is not sent yet.
      "opt-in": "single",
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
  }
}
