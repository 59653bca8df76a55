/// Text that may contain a password, and is never shown.
struct HiddenText: Hashable, Sendable {
  /// The text that replaces a secret.
  static let mark = "***"

  let text: String

  init(_ text: String) {
    self.text = text
  }
}

extension HiddenText: CustomStringConvertible, CustomReflectable {
  /// Stars, so that no log contains the text.
  var description: String { Self.mark }

  /// A mirror without children, so that no dump contains the text.
  var customMirror: Mirror { Mirror(self, children: []) }
}
