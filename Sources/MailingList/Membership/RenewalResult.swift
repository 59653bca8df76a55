/// What the request of a new link has led to.
package enum RenewalResult: Hashable, Sendable {
  /// The request is stored. Whether a mail follows is not reported.
  case accepted
  /// The old link is unknown.
  case unknown
}
