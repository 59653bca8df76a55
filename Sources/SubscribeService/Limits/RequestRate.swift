/// How many requests of one kind are accepted from one client.
package enum RequestRate: Hashable, Sendable {
  /// As many as come.
  case unlimited
  /// So many at once, and then one for each such part of the time: 30 in 10 minutes are 30 at once
  /// and then one every 20 seconds.
  ///
  /// The count is from 1 to 10,000, the time a second or more, in whole milliseconds.
  case limited(count: Int, per: Duration)
}

/// The kinds of requests that have a rate.
enum LimitedRequest: String, CaseIterable, Sendable {
  /// `POST /subscribers`.
  case signUp = "sign-up"
  /// `POST /email-checks`.
  case emailCheck = "email-check"
  /// An event stream that is opened.
  case stream

  /// The key of the text that says that there were too many.
  var textKey: String { "limit.\(rawValue)" }

  /// The same in English.
  var message: String {
    switch self {
    case .signUp: "There were too many sign-ups from your address. Try again later."
    case .emailCheck: "There were too many email checks from your address. Try again later."
    case .stream: "Too many event streams were opened from your address. Try again later."
    }
  }
}
