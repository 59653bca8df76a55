/// Why the program does not start: one line that names the setting, its value and what is allowed.
struct SettingError: Error, Hashable, Sendable {
  /// Where it was set: `--threads`, `ENLIST_THREADS` or `threads in FILE`.
  let setting: String
  /// What it was set to; never a secret's.
  let value: String
  /// What is allowed, or what is wrong.
  let reason: String
}

extension SettingError: CustomStringConvertible {
  /// The line, whatever the value contains.
  var description: String {
    let shown = value.count > 100 ? "\(value.prefix(100))…" : value
    return LineText.escaped("\(setting) is \"\(shown)\": \(reason)")
  }
}
