internal import Logging
internal import MailingList

extension Settings {
  /// Returns the metadata of the first log line, without secrets.
  func startupMetadata(address: String) -> Logger.Metadata {
    let (optIn, reason) = effectiveOptIn
    return [
      "version": "\(EnlistCommand.versionNumber)",
      "address": "\(address)",
      "database": "\(URLPassword.hidden(in: self.database.description))",
      "opt-in": "\(optIn.rawValue)",
      "opt-in-reason": "\(reason)",
    ]
  }
}

extension Logger {
  /// Logs the settings: those that are set at `info`, the others at `debug`.
  ///
  /// A limit that does not fit has a line of its own, see ``Settings/fit(descriptors:memoryBytes:)``.
  func log(_ settings: [EffectiveSetting]) {
    for (level, isDefault) in [(Logger.Level.info, false), (.debug, true)] {
      let some = settings.filter { ($0.origin == "default") == isDefault }
      guard !some.isEmpty else { continue }
      log(
        level: level, isDefault ? "settings that are not set" : "settings",
        metadata: Dictionary(uniqueKeysWithValues: some.map { ($0.name, "\($0.text)") }))
    }
  }
}
