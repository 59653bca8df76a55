/// The kinds of requests that have a rate.
enum LimitedRequest: CaseIterable, Sendable {
  /// `POST /subscribers`, and `POST /confirm/{token}/mail`.
  case signUp
  /// `POST /email-checks`.
  case emailCheck
  /// A request that opens an event stream.
  case stream
}
