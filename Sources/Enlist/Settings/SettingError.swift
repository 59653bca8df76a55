/// An invalid setting, which prevents the program from starting.
///
/// The description is one line that names the setting, its value and the expected value.
struct SettingError: Error, Hashable, Sendable {
  /// The source of the value: `--threads`, `ENLIST_THREADS` or `threads in FILE`.
  let setting: String
  /// The invalid value, with any password replaced; `nil` if the reason explains the error.
  let value: String?
  /// The expected value, or the problem with this one.
  let reason: String

  /// Creates an error; a password in the value is replaced.
  init(setting: String, value: String, reason: String) {
    self.setting = setting
    self.value = URLPassword.hidden(in: value)
    self.reason = reason
  }

  /// Creates an error whose reason names a file of the setting, or a setting that requires it.
  init(setting: String, reason: String) {
    self.setting = setting
    value = nil
    self.reason = reason
  }
}

extension SettingError: CustomStringConvertible {
  /// The message, always one line: control characters in the value are escaped.
  var description: String {
    guard let value else { return LineText.escaped("\(setting): \(reason)") }
    let shown = value.count > 100 ? "\(value.prefix(100))…" : value
    return LineText.escaped("invalid value \"\(shown)\" for \(setting): \(reason)")
  }
}
