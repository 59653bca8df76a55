/// Why the program does not start: one line that names the setting, its value and what is allowed.
struct SettingError: Error, Hashable, Sendable {
  /// Where it was set: `--threads`, `ENLIST_THREADS` or `threads in FILE`.
  let setting: String
  /// What it was set to, without a password.
  let value: String
  /// What is allowed, or what is wrong.
  let reason: String

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - setting: Where it was set.
  ///   - value: What it was set to; a password in it is replaced.
  ///   - reason: What is allowed, or what is wrong.
  init(setting: String, value: String, reason: String) {
    self.setting = setting
    self.value = URLPassword.hidden(in: value)
    self.reason = reason
  }
}

extension SettingError: CustomStringConvertible {
  /// The line, whatever the value contains.
  var description: String {
    let shown = value.count > 100 ? "\(value.prefix(100))…" : value
    return LineText.escaped("\(setting) is \"\(shown)\": \(reason)")
  }
}
