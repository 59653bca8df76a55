/// The result of a request for a new link.
package enum RenewalResult: Hashable, Sendable {
  /// The request is stored; whether a mail follows is not reported.
  case accepted
  /// The old link is unknown.
  case unknown
}
