internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Signals

/// The handlers that read the list.
final class SubscribersController: Sendable {
  /// The maximum number of rows that one request reads, whatever its filter.
  private static let maximumRows = 10_000
  private static let rowsPerRead = 500
  private static let maximumConsents = 1_000

  private let list: any OperatorStore
  private let responder: APIResponder
  private let now: @Sendable () -> Timestamp

  init(_ dependencies: OperatorDependencies) {
    list = dependencies.list
    responder = APIResponder(dependencies)
    now = dependencies.now
  }

  /// Responds to `GET /api/counts`.
  @Sendable
  func count(_ routed: RoutedExchange) {
    responder.respond(routed.exchange) { _ in
      let hour = now().hour
      let reading = list.events(after: .max, limit: 1).flatMap { [list] page in
        combineLatest(list.subscriberCounts(), list.tallies(fromHour: hour - 23, fromDay: hour)) {
          (page, $0, TallyTable($1))
        }
      }
      return reading.map { page, counts, tallies in
        var json = JSONText()
        json.object { object in
          object.member("as_of", "\(EventID(epoch: page.epoch, position: page.newest))")
          object.object("subscribers") { states in
            states.member("pending", counts[.pending] ?? 0)
            states.member("subscribed", counts[.subscribed] ?? 0)
            states.member("unsubscribed", counts[.unsubscribed] ?? 0)
            states.member("suppressed", counts[.suppressed] ?? 0)
          }
          object.object("last_24_hours") { events in
            events.tallies { tallies.sum($0, hours: 24, through: hour) }
          }
        }
        return .response(.json(.ok, json))
      }
    }
  }

  /// Responds to `GET /api/subscribers`.
  @Sendable
  func page(_ routed: RoutedExchange) {
    responder.respond(routed.exchange) { (request) throws(APIError) in
      let query = try SubscriberQuery(request)
      return page(query, after: query.last, [], rows: Self.maximumRows).map { subscribers, next in
        var json = JSONText()
        json.object { object in
          object.array("subscribers", subscribers) { $1.subscriber($0) }
          object.member("next", next.map(SubscriberQuery.cursor))
        }
        return .response(.json(.ok, json))
      }
    }
  }

  /// Reads rows until a page is full, the list ends, or as many rows have been read; also returns
  /// the id after which the next page begins.
  private func page(
    _ query: SubscriberQuery, after last: Int64?, _ found: [Subscriber], rows: Int
  ) -> Signal<([Subscriber], Int64?), StoreError> {
    let limit = min(rows, Self.rowsPerRead)
    return list.subscribers(after: last, limit: limit)
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

  /// Responds to `GET /api/subscribers/{id}`.
  @Sendable
  func show(_ routed: RoutedExchange) {
    responder.respond(routed.exchange) { (request) throws(APIError) in
      list.subscriber(try routed.subscriberID()).map { subscriber in
        guard let subscriber else { return .problem(.notFound) }
        let isKnown = request.names(subscriber.entityTag, in: .ifNoneMatch)
        return .response(subscriber.response(isKnown ? .notModified : .ok))
      }
    }
  }

  /// Responds to `GET /api/subscribers/{id}/consents`.
  @Sendable
  func consents(_ routed: RoutedExchange) {
    responder.respond(routed.exchange) { (_) throws(APIError) in
      let id = try routed.subscriberID()
      let consents = list.consents(ofSubscribers: id...id, after: nil, limit: Self.maximumConsents)
      return combineLatest(list.subscriber(id), consents).map { subscriber, consents in
        guard subscriber != nil else { return .problem(.notFound) }
        var json = JSONText()
        json.object { object in
          object.array("consents", consents) { $1.consent($0) }
          object.member("is_complete", consents.count < Self.maximumConsents)
        }
        return .response(.json(.ok, json))
      }
    }
  }
}
