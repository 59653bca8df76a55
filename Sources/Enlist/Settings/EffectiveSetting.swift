/// A valid setting as it is shown to the operator.
struct EffectiveSetting: Hashable, Sendable {
  /// The name of the setting.
  let name: String
  /// The text of its value; three asterisks if it may be secret.
  let text: String
  /// Where the value comes from: `default`, `--threads`, `ENLIST_THREADS`, `threads in FILE`, or
  /// `ENLIST_THREADS_FILE: FILE`.
  let origin: String
}

extension EffectiveSetting: CustomStringConvertible {
  /// One line, whatever the value contains.
  var description: String { LineText.escaped("\(name) = \(text) (\(origin))") }
}
