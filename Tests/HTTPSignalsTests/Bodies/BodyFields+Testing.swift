import HTTPSignals

extension BodyFields {
  /// The value of a field, where a test knows that the field is not given twice.
  func only(_ name: String) -> Value? {
    do throws(BodyError) { return try value(name) } catch { return nil }
  }
}
