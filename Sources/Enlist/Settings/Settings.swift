internal import HTTPSignals
internal import Platform
internal import Services

/// The settings of a command, each of them valid; each row of ``SettingTable`` is a property.
@dynamicMemberLookup
struct Settings: Sendable {
  private var values: [String: any Sendable] = [:]
  /// The line of each setting for the operator, without secrets.
  let lines: [(name: String, text: String, source: String?)]

  /// - Throws: `SettingErrors` with all settings that are invalid by themselves.
  init(_ sources: SettingSources) throws(SettingErrors) {
    var sources = sources
    for row in sources.rows { values[row.name] = sources.value(of: row) }
    lines = sources.rows.map { row in
      let (text, source) = sources.line(row)
      return (row.name, text, source)
    }
    guard sources.errors.isEmpty else { throw SettingErrors(sources.errors) }
  }

  subscript<Value>(dynamicMember row: KeyPath<SettingTable, Setting<Value>>) -> Value {
    get {
      guard let value = values[SettingTable.all[keyPath: row].name] as? Value else {
        preconditionFailure("The command does not have this setting, or its default is invalid.")
      }
      return value
    }
    set { values[SettingTable.all[keyPath: row].name] = newValue }
  }

  /// The settings that are invalid together, without those of mail and the files.
  var conflicts: [SettingError] { [listenerConflict, policyExcess].compactMap(\.self) }

  private var listenerConflict: SettingError? {
    // With port 0, each listener gets its own port.
    if case .network(let host) = self.listen, host.port == 0 { return nil }
    guard self.operatorListen == self.listen else { return nil }
    return SettingError(
      setting: "--operator-listen", value: self.listen.description,
      reason: "expected another address than that of --listen")
  }

  /// The origins have to fit into the Content-Security-Policy of a response.
  private var policyExcess: SettingError? {
    let bytes = ServiceResponsePolicy.policyBytes(with: self.allowedOrigins)
    guard bytes > ServiceResponsePolicy.maximumPolicyBytes else { return nil }
    return SettingError(
      setting: "--allowed-origins",
      value: self.allowedOrigins.sources.joined(separator: ","),
      reason: """
        the Content-Security-Policy of the pages would take \(bytes) bytes; \
        expected at most \(ServiceResponsePolicy.maximumPolicyBytes): list fewer origins
        """
    )
  }
}

/// An invalid setting: one line with its source, its value, and what is expected.
struct SettingError: Error, Hashable, Sendable, CustomStringConvertible {
  let setting: String
  /// Without a password; `nil` if the reason says enough.
  let value: String?
  let reason: String

  init(setting: String, value: String? = nil, reason: String) {
    self.setting = setting
    self.value = value.map(URLPassword.hidden)
    self.reason = reason
  }

  /// Control characters are escaped.
  var description: String {
    guard let value else { return LineText.escaped("\(setting): \(reason)") }
    let shown = value.count > 100 ? "\(value.prefix(100))…" : value
    return LineText.escaped("invalid value \"\(shown)\" for \(setting): \(reason)")
  }
}

struct SettingErrors: Error, CustomStringConvertible {
  let all: [SettingError]

  init(_ all: [SettingError]) {
    self.all = all
  }

  var description: String { all.map(\.description).joined(separator: "\n") }
}
