package import HTTPTypes

extension Request {
  /// Returns whether a field such as `If-None-Match` or `If-Match` names a tag, or any with `*`.
  ///
  /// The comparison is weak (RFC 9110 §8.8.3.2), because no tag of a service is.
  package func names(_ tag: String, in field: HTTPField.Name) -> Bool {
    fields.values(of: field).contains { value in
      value == "*"
        || value.utf8.split(separator: UInt8(ascii: ","), maxSplits: 32).prefix(32).contains {
          part in
          let given = ForwardedField.trimmed(Substring(part)).utf8
          return given.elementsEqual(tag.utf8) || given.elementsEqual("W/\(tag)".utf8)
        }
    }
  }
}
