internal import FoundationEssentials
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The part of the list that a client asks for.
struct SubscriberQuery: Sendable {
  /// The numbers of subscribers on a page.
  private static let limits = 1...500

  private var states = Set(Subscriber.State.allCases)
  private var locale: String?
  private var createdFrom = Timestamp.distantPast
  private var createdBefore = Timestamp.distantFuture
  private(set) var limit = 100
  /// The id of the last subscriber that was read; `nil` begins with the first.
  private(set) var last: Int64?

  /// Reads the query of a request; parameters that are not known are ignored.
  ///
  /// - Throws: The problem of an invalid value.
  init(_ request: Request) throws(ProblemDetails) {
    states = try request.parameter("state", Self.states) ?? states
    locale = try request.parameter("locale") { $0 }
    createdFrom = try request.parameter("created_from") { Timestamp(importing: $0) } ?? createdFrom
    createdBefore =
      try request.parameter("created_before") { Timestamp(importing: $0) } ?? createdBefore
    limit = try request.limit(in: Self.limits) ?? limit
    last = try request.parameter("cursor") { Int64($0, radix: 36).flatMap { $0 > 0 ? $0 : nil } }
  }

  private static func states(_ text: String) -> Set<Subscriber.State>? {
    let names = text.split(separator: ",", omittingEmptySubsequences: false)
    let states = names.compactMap { name in Subscriber.State.allCases.first { $0.name == name } }
    return states.count == names.count ? Set(states) : nil
  }

  /// Returns whether a subscriber belongs to the part.
  func includes(_ subscriber: Subscriber) -> Bool {
    states.contains(subscriber.state) && (locale == nil || subscriber.locale == locale)
      && subscriber.createdAt >= createdFrom && subscriber.createdAt < createdBefore
  }

  /// The opaque text of a place in the list.
  static func cursor(after id: Int64) -> String { String(id, radix: 36) }
}
