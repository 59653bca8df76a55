/// A valid setting in the form that the operator sees.
struct EffectiveSetting: Hashable, Sendable {
  let name: String
  /// The text of the value; three asterisks if it may be secret.
  let text: String
  /// The source of the value: `default`, `--threads`, `ENLIST_THREADS`, `threads in FILE`, or
  /// `ENLIST_THREADS_FILE: FILE`.
  let origin: String
}

extension EffectiveSetting: CustomStringConvertible {
  /// Always one line: control characters in the value are escaped.
  var description: String { LineText.escaped("\(name) = \(text) (\(origin))") }
}
