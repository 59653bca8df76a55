import HTTPSignals

extension BodyFields {
  /// Returns the value of a field; `nil` if it is missing or occurs more than once.
  func only(_ name: String) -> Value? {
    do throws(BodyError) { return try value(name) } catch { return nil }
  }
}
