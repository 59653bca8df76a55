internal import EmailAddresses
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Signals

/// The handlers whose requests have a body: addresses to look up, and changes of the list.
final class ChangesController: Sendable {
  private static let addressCounts = 1...100

  private struct LookUp: Decodable {
    let addresses: [String]
  }

  private struct NewState: Decodable {
    let state: String
    let reason: String?
  }

  private struct Report: Decodable {
    let address: String
    let kind: String
  }

  private let list: any OperatorStore
  private let responder: APIResponder
  private let mapping: ImportMapping
  private let now: @Sendable () -> Timestamp

  init(_ dependencies: OperatorDependencies) {
    list = dependencies.list
    responder = APIResponder(dependencies)
    mapping = ImportMapping(objectsWith: dependencies.fields)
    now = dependencies.now
  }

  /// Responds to `POST /api/lookups`: an address is never in a URL.
  @Sendable
  func lookUp(_ routed: RoutedExchange) {
    responder.respond(routed.exchange) { (request) throws(APIError) in
      let given = try request.decode(LookUp.self).addresses
      guard Self.addressCounts.contains(given.count) else {
        throw APIError(.invalidParameter("addresses"))
      }
      let parsed = given.map { text in
        Result { () throws(EmailAddressError) in try EmailAddress(validating: text, level: .test) }
      }
      return list.lookUp(parsed.compactMap { try? $0.get() }).map { found in
        var found = found.makeIterator()
        var json = JSONText()
        json.object { object in
          object.array("results", Array(zip(given, parsed))) { entry, result in
            result.member("address", entry.0)
            switch entry.1 {
            case .failure(let error): result.member("invalid", error.reason.rawValue)
            case .success: result.status(found.next())
            }
          }
        }
        return .response(.json(.ok, json))
      }
    }
  }

  /// Responds to `POST /api/subscribers`, which adds a person, or several of them as NDJSON, by the
  /// rules of an import.
  @Sendable
  func add(_ routed: RoutedExchange, by actor: EventActor) {
    responder.respond(routed.exchange) { (request) throws(APIError) in
      if request.hasContent(of: "application/x-ndjson") {
        return try addAll(request, by: actor)
      }
      let object = try request.decode(ExportedPerson.self)
      let person: ImportedPerson
      do throws(InvalidAddition) {
        person = try mapping.addition(object, at: now()).get()
      } catch {
        throw APIError(.invalidParameter(error.member))
      }
      return list.add([person], by: actor, at: now()).flatMap {
        [list] results -> Signal<APIReply, StoreError> in
        let isNew = results.contains(.new)
        if results.contains(.suppressed) { return .just(.problem(.addressSuppressed)) }
        return list.lookUp([person.address]).map { found in
          guard let subscriber = found.first?.subscriber else { return .problem(.notFound) }
          var response = subscriber.response(isNew ? .created : .ok)
          response.fields[.location] = "/api/subscribers/\(subscriber.id)"
          return .response(response)
        }
      }
    }
  }

  private func addAll(
    _ request: Request, by actor: EventActor
  ) throws(APIError) -> Signal<APIReply, StoreError> {
    guard let additions = Additions(request.body, mapping, at: now()) else {
      throw APIError(.invalidParameter("lines"))
    }
    return list.add(additions.people, by: actor, at: now()).map { results in
      var response = Response(status: .ok, body: .bytes(additions.report(results)))
      response.fields[.contentType] = "application/x-ndjson"
      response.fields[.cacheControl] = "no-store"
      return .response(response)
    }
  }

  /// Responds to `PUT /api/subscribers/{id}/state`.
  @Sendable
  func setState(_ routed: RoutedExchange, by actor: EventActor) {
    responder.respond(routed.exchange) { (request) throws(APIError) in
      let id = try routed.subscriberID()
      let change = try Self.change(to: request.decode(NewState.self))
      let isExpected = try Self.precondition(of: request)
      return list.change(change, of: id, by: actor, at: now(), if: isExpected)
        .map { Self.reply($0) { $0.response(.ok) } }
    }
  }

  /// Responds to `POST /api/subscribers/{id}/confirmation`.
  @Sendable
  func requestConfirmation(_ routed: RoutedExchange) {
    responder.respond(routed.exchange) { (_) throws(APIError) in
      list.requestConfirmation(of: try routed.subscriberID(), at: now()).map { result in
        switch result {
        case .changed(let subscriber): .response(subscriber.response(.accepted))
        case .unexpected: .problem(.notPending)
        case .unknown: .problem(.notFound)
        }
      }
    }
  }

  /// Responds to `DELETE /api/subscribers/{id}`.
  @Sendable
  func erase(_ routed: RoutedExchange, by actor: EventActor) {
    responder.respond(routed.exchange) { (request) throws(APIError) in
      let id = try routed.subscriberID()
      let trace = try request.parameter("suppress", ErasureTrace.init) ?? .imports
      let isExpected = try Self.precondition(of: request)
      return list.erase(id, leaving: trace, by: actor, at: now(), if: isExpected)
        .map { Self.reply($0) { _ in Response(status: .noContent) } }
    }
  }

  /// Returns whether a subscriber is the one that the client has read, by `If-Match` (RFC 9110
  /// §13.1.1).
  private static func precondition(
    of request: Request
  ) throws(APIError) -> @Sendable (Subscriber) -> Bool {
    guard request.fields.first(.ifMatch) != nil else { throw APIError(.preconditionRequired) }
    return { request.names($0.entityTag, in: .ifMatch) }
  }

  private static func reply(
    _ result: StateChangeResult, _ response: (Subscriber) -> Response
  ) -> APIReply {
    switch result {
    case .changed(let subscriber): .response(response(subscriber))
    case .unexpected: .problem(.versionMismatch)
    case .unknown: .problem(.notFound)
    }
  }

  private static func change(to new: NewState) throws(APIError) -> StateChange {
    let reason = Suppression.allCases.first { $0.name == new.reason ?? Suppression.operator.name }
    guard let reason else { throw APIError(.invalidParameter("reason")) }
    switch new.state {
    case Subscriber.State.unsubscribed.name: return .unsubscribe
    case Subscriber.State.suppressed.name: return .suppress(reason)
    default: throw APIError(.invalidParameter("state"))
    }
  }

  /// Responds to `POST /api/feedback`, the report of a mail provider.
  @Sendable
  func report(_ routed: RoutedExchange, by actor: EventActor) {
    responder.respond(routed.exchange) { (request) throws(APIError) in
      let report = try request.decode(Report.self)
      guard let address = try? EmailAddress(validating: report.address, level: .test) else {
        throw APIError(.invalidParameter("address"))
      }
      let done = APIReply.response(Response(status: .noContent))
      let reason: Suppression
      switch report.kind {
      case "hard_bounce": reason = .hardBounce
      case "complaint": reason = .complaint
      // It changes nothing; the mail may arrive later.
      case "soft_bounce": return .just(done)
      default: throw APIError(.invalidParameter("kind"))
      }
      return list.suppress(address, reason, by: actor, at: now()).map { _ in done }
    }
  }
}

extension JSONObject {
  /// Adds what the list has about a valid address.
  fileprivate mutating func status(_ status: AddressStatus?) {
    if let subscriber = status?.subscriber {
      object("subscriber") { $0.subscriber(subscriber) }
    } else {
      member("subscriber", nil as String?)
    }
    member("suppression", status?.suppression?.name)
  }
}
