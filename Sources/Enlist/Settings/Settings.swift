internal import HTTPSignals
internal import Platform
internal import Services

/// The settings of a command, each of them valid; each row of ``SettingTable`` is a property.
@dynamicMemberLookup
struct Settings: Sendable {
  /// The values of what is set.
  private var values: [String: any Sendable] = [:]
  /// The line of each setting for the operator, without secrets.
  let lines: [(name: String, text: String, source: String?)]

  /// - Throws: `SettingErrors` with all settings that are invalid by themselves.
  init(_ sources: SettingSources) throws(SettingErrors) {
    var sources = sources
    for row in sources.rows { values[row.name] = sources.value(of: row) }
    lines = sources.rows.map { sources.line($0) }
    guard sources.errors.isEmpty else { throw SettingErrors(sources.errors) }
  }

  subscript<Value>(dynamicMember row: KeyPath<SettingTable, Setting<Value>>) -> Value {
    get {
      let setting = SettingTable.all[keyPath: row]
      return values[setting.name].flatMap { $0 as? Value } ?? setting.initial
    }
    set { values[SettingTable.all[keyPath: row].name] = newValue }
  }

  /// The settings that are invalid together, without those of mail and the files.
  var conflicts: [SettingError] {
    var conflicts: [SettingError] = []
    // With port 0, each listener gets its own port.
    let isAnyPort = if case .network(let host)? = self.listen { host.port == 0 } else { false }
    if let address = self.operatorListen, address == self.listen, !isAnyPort {
      conflicts.append(
        SettingTable.all.operatorListen.error(
          address.description, "expected another address than that of --listen"))
    }
    // The origins have to fit into the Content-Security-Policy of a response.
    let bytes = ServiceResponsePolicy.policyBytes(with: self.allowedOrigins)
    let maximum = ServiceResponsePolicy.maximumPolicyBytes
    if bytes > maximum {
      conflicts.append(
        SettingTable.all.allowedOrigins.error(
          self.allowedOrigins.sources.joined(separator: ","),
          """
          the Content-Security-Policy of the pages would take \(bytes) bytes; \
          expected at most \(maximum): list fewer origins
          """))
    }
    return conflicts
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

extension SettingRow {
  func error(_ value: String?, _ reason: String) -> SettingError {
    SettingError(setting: "--\(name)", value: value, reason: reason)
  }
}

struct SettingErrors: Error, CustomStringConvertible {
  let all: [SettingError]

  init(_ all: [SettingError]) { self.all = all }

  var description: String { all.map(\.description).joined(separator: "\n") }
}
