internal import EmailAddresses
internal import FoundationEssentials
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Security
internal import Signals

// MARK: Reading

extension Operator {
  /// The maximum number of rows that one request reads, whatever its filter.
  private static let maximumRows = 10_000
  private static let rowsPerRead = 500
  private static let maximumConsents = 1_000
  private static let addressCounts = 1...100

  /// `GET /api/counts`.
  func counts(_ call: Call) -> Signal<Response, ProblemDetails> {
    let hour = now().hour
    let reading = list.read { list throws(StoreError) in
      (
        page: try list.events(after: .max, limit: 0),
        tallies: TallyTable(try list.tallies(fromHour: hour - 23, fromDay: hour))
      )
    }
    .flatMap { [list] read in
      list.subscriberCounts().map { (read.page, $0, read.tallies) }
    }
    return available(reading).map { page, counts, tallies in
      .json { object in
        object.member("as_of", "\(EventID(epoch: page.epoch, position: page.newest))")
        object.object("subscribers") { states in
          states.member("pending", counts[.pending] ?? 0)
          states.member("subscribed", counts[.subscribed] ?? 0)
          states.member("unsubscribed", counts[.unsubscribed] ?? 0)
          states.member("suppressed", counts[.suppressed] ?? 0)
        }
        object.object("last_24_hours") { events in
          for series in Tally.Series.allCases {
            events.member(
              named: series.rawValue, tallies.sum(series, hours: 24, through: hour))
          }
        }
      }
    }
  }

  /// `GET /api/subscribers`.
  func subscribers(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    let query = try SubscriberQuery(call.request)
    let page = page(query, after: query.last, [], rows: Self.maximumRows)
    return available(page).map { subscribers, next in
      .json { object in
        object.array("subscribers", subscribers) { $1.subscriber($0) }
        object.member("next", next.map(SubscriberQuery.cursor))
      }
    }
  }

  /// Reads rows until a page is full, the list ends, or as many rows have been read; also returns
  /// the id after which the next page begins.
  private func page(
    _ query: SubscriberQuery, after last: Int64?, _ found: [Subscriber], rows: Int
  ) -> Signal<([Subscriber], Int64?), StoreError> {
    let limit = min(rows, Self.rowsPerRead)
    return list.read { list throws(StoreError) in try list.subscribers(after: last, limit: limit) }
      .flatMap { part -> Signal<([Subscriber], Int64?), StoreError> in
        var found = found
        for subscriber in part where query.includes(subscriber) {
          found.append(subscriber)
          if found.count == query.limit { return .just((found, subscriber.id)) }
        }
        guard part.count == limit, let end = part.last?.id else { return .just((found, nil)) }
        guard rows > limit else { return .just((found, end)) }
        return self.page(query, after: end, found, rows: rows - limit)
      }
  }

  /// `GET /api/subscribers/{id}`.
  func subscriber(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    let id = try call.subscriberID()
    return read { list throws(StoreError) in try list.subscriber(id) }
      .tryMap { subscriber throws(ProblemDetails) in
        guard let subscriber else { throw .notFound }
        let isKnown = call.request.names(subscriber.entityTag, in: .ifNoneMatch)
        return subscriber.response(isKnown ? .notModified : .ok)
      }
  }

  /// `GET /api/subscribers/{id}/consents`.
  func consents(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    let id = try call.subscriberID()
    return read { list throws(StoreError) -> [RecordedConsent]? in
      guard try list.subscriber(id) != nil else { return nil }
      return try list.consents(ofSubscribers: id...id, after: nil, limit: Self.maximumConsents)
    }
    .tryMap { consents throws(ProblemDetails) in
      guard let consents else { throw .notFound }
      return .json { object in
        object.array("consents", consents) { $1.consent($0) }
        object.member("is_complete", consents.count < Self.maximumConsents)
      }
    }
  }

  /// `POST /api/lookups`: an address is never in a URL.
  func lookUp(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    struct Body: Decodable { let addresses: [String] }
    let given = try call.request.decode(Body.self).addresses
    guard Self.addressCounts.contains(given.count) else { throw .invalidParameter("addresses") }
    let parsed = given.map { text in
      Result { () throws(EmailAddressError) in try EmailAddress(validating: text, level: .test) }
    }
    let addresses = parsed.compactMap { try? $0.get() }
    return read { [keys = MailKeys(list.keyring)] list throws(StoreError) in
      try list.lookUp(addresses, keys)
    }
    .map { found in
      var found = found.makeIterator()
      return .json { object in
        object.array("results", Array(zip(given, parsed))) { entry, result in
          result.member("address", entry.0)
          switch entry.1 {
          case .failure(let error): result.member("invalid", error.reason.rawValue)
          case .success: result.status(found.next())
          }
        }
      }
    }
  }
}

// MARK: Changing

extension Operator {
  /// `POST /api/subscribers`: adds a person, or several of them as NDJSON, by the rules of an
  /// import.
  func add(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    let time = now()
    let mapping = ImportMapping(objectsWith: settings.fields)
    if call.request.hasContent(of: "application/x-ndjson") {
      guard let additions = Additions(call.request.body, mapping, at: time) else {
        throw .invalidParameter("lines")
      }
      return change { list throws(StoreError) in
        try list.store(additions.people, by: call.actor, at: time)
      }
      .map { results in
        var response = Response(status: .ok, body: .bytes(additions.report(results)))
        response.fields[.contentType] = "application/x-ndjson"
        response.fields[.cacheControl] = "no-store"
        return response
      }
    }
    let object = try call.request.decode(ExportedPerson.self)
    let person: ImportedPerson
    do throws(ImportMapping.Rejection) {
      person = try mapping.person(object, at: time)
    } catch {
      throw .invalidParameter(error.member)
    }
    return change { list throws(StoreError) in
      try list.store([person], by: call.actor, at: time)
    }
    .flatMap { [self] results -> Signal<Response, ProblemDetails> in
      guard !results.contains(.suppressed) else {
        return .fail(ProblemDetails(APIProblem.addressSuppressed))
      }
      return read { [keys = MailKeys(list.keyring)] list throws(StoreError) in
        try list.lookUp([person.address], keys)
      }
      .tryMap { found throws(ProblemDetails) in
        guard let subscriber = found.first?.subscriber else { throw .notFound }
        var response = subscriber.response(results.contains(.new) ? .created : .ok)
        response.fields[.location] = "/api/subscribers/\(subscriber.id)"
        return response
      }
    }
  }

  /// `PUT /api/subscribers/{id}/state`.
  func setState(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    struct Body: Decodable {
      let state: String
      let reason: String?
    }
    let id = try call.subscriberID()
    let body = try call.request.decode(Body.self)
    let name = body.reason ?? Suppression.operator.name
    guard let reason = Suppression.allCases.first(where: { $0.name == name }) else {
      throw .invalidParameter("reason")
    }
    let change: StateChange
    switch body.state {
    case Subscriber.State.unsubscribed.name: change = .unsubscribe
    case Subscriber.State.suppressed.name: change = .suppress(reason)
    default: throw .invalidParameter("state")
    }
    let isExpected = try Self.precondition(of: call.request)
    let time = now()
    return self.change { list throws(StoreError) in
      try list.change(change, of: id, by: call.actor, at: time, if: isExpected)
    }
    .tryMap { result throws(ProblemDetails) in
      try result.subscriber(or: .versionMismatch).response(.ok)
    }
  }

  /// `POST /api/subscribers/{id}/confirmation`.
  func requestConfirmation(
    _ call: Call
  ) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    let (id, time) = (try call.subscriberID(), now())
    return change { list throws(StoreError) in try list.requestConfirmation(of: id, at: time) }
      .tryMap { result throws(ProblemDetails) in
        try result.subscriber(or: .notPending).response(.accepted)
      }
  }

  /// `DELETE /api/subscribers/{id}`.
  func erase(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    let id = try call.subscriberID()
    let trace = try call.request.parameter("suppress", ErasureTrace.init) ?? .imports
    let isExpected = try Self.precondition(of: call.request)
    let time = now()
    return change { list throws(StoreError) in
      try list.erase(id, leaving: trace, by: call.actor, at: time, if: isExpected)
    }
    .tryMap { result throws(ProblemDetails) in
      _ = try result.subscriber(or: .versionMismatch)
      return Response(status: .noContent)
    }
  }

  /// Returns whether a subscriber is the one that the client has read, by `If-Match` (RFC 9110
  /// §13.1.1).
  private static func precondition(
    of request: Request
  ) throws(ProblemDetails) -> @Sendable (Subscriber) -> Bool {
    guard request.fields.first(.ifMatch) != nil else {
      throw ProblemDetails(APIProblem.preconditionRequired)
    }
    return { request.names($0.entityTag, in: .ifMatch) }
  }

  /// `POST /api/feedback`: the report of a mail provider.
  func report(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    struct Body: Decodable { let address, kind: String }
    let body = try call.request.decode(Body.self)
    guard let address = try? EmailAddress(validating: body.address, level: .test) else {
      throw .invalidParameter("address")
    }
    let done = Response(status: .noContent)
    let reason: Suppression
    switch body.kind {
    case "hard_bounce": reason = .hardBounce
    case "complaint": reason = .complaint
    // It changes nothing; the mail may arrive later.
    case "soft_bounce": return .just(done)
    default: throw .invalidParameter("kind")
    }
    let time = now()
    return change { list throws(StoreError) in
      try list.suppress(address, reason, by: call.actor, at: time)
    }
    .map { _ in done }
  }
}

extension StateChangeResult {
  /// The changed subscriber, or the problem if it is not as expected.
  fileprivate func subscriber(or problem: APIProblem) throws(ProblemDetails) -> Subscriber {
    switch self {
    case .changed(let subscriber): return subscriber
    case .unexpected: throw ProblemDetails(problem)
    case .unknown: throw .notFound
    }
  }
}

extension JSONObject {
  /// Adds what the list has about a valid address.
  fileprivate mutating func status(_ status: AddressStatus?) {
    if let subscriber = status?.subscriber {
      object("subscriber") { $0.subscriber(subscriber) }
    } else {
      member("subscriber", nil)
    }
    member("suppression", status?.suppression?.name)
  }
}

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
