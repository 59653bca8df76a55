/// How strictly an address is validated.
package enum EmailLevel: String, Hashable, Sendable, CaseIterable {
  /// What a person may type into a form: special-use domains are rejected.
  case form
  /// As ``form``, but special-use domains (RFC 6761) are accepted.
  case test
}
