/// The strictness of the validation.
package enum EmailLevel: String, Hashable, Sendable, CaseIterable {
  /// The rules for a public form: special-use domains (RFC 6761) are rejected.
  case form
  /// The rules of ``form``, except that special-use domains (RFC 6761) are accepted.
  case test
}
