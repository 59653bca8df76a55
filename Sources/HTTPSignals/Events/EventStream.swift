internal import HTTPTypes
package import Signals

/// The events for one client: its own opening, then a log starting at a position.
package struct EventStream: Sendable {
  /// The bytes that are sent first, right after the transport's preamble.
  package let opening: [UInt8]
  /// The log that the stream reads.
  package let log: EventLog
  /// The position of the first event to read.
  package let position: UInt64
  /// The subscription to dispose of after the client has disconnected.
  package let source: (any Disposable)?
  /// The id from which a client resumes that has received no event.
  private var firstID: ServerSentEvent.ID?

  /// Creates a stream.
  ///
  /// - Parameters:
  ///   - firstID: The id of the event before the position, for a client that sends none.
  ///   - opening: An event that is sent before all others, to this client only.
  package init(
    log: EventLog, from position: UInt64, firstID: ServerSentEvent.ID? = nil,
    opening: ServerSentEvent? = nil, source: (any Disposable)? = nil
  ) {
    self.firstID = firstID
    self.opening = opening?.block ?? []
    self.log = log
    self.position = position
    self.source = source
  }

  /// Creates a stream from a signal of events.
  ///
  /// - Parameters:
  ///   - events: The stream subscribes immediately, until the signal completes or the client
  ///     disconnects; it ends when the signal completes.
  ///   - window: The number of events that a slow client may lag behind before its stream is
  ///     closed.
  package init(
    _ events: Signal<ServerSentEvent, Never>, opening: ServerSentEvent? = nil, window: Int = 256
  ) {
    self.opening = opening?.block ?? []
    let log = EventLog(capacity: window)
    self.log = log
    position = log.head
    source = events.subscribe(
      next: { event in log.append { _ in event } }, completed: { log.finish() })
  }

  /// Creates a stream whose events are read when the client has taken those before, so that a slow
  /// client takes little memory, and a long stream none of it at once.
  ///
  /// - Parameters:
  ///   - window: At least twice the number of events that `next` sends at once.
  ///   - scheduler: Asks again if there is nothing yet.
  ///   - next: Returns a cold signal that sends one supply. Called on any thread; it must not
  ///     block.
  package init(
    window: Int, on scheduler: any Scheduler,
    next: @escaping @Sendable () -> Signal<EventSupply, Never>
  ) {
    opening = []
    let pump = EventPump(on: scheduler, next)
    log = EventLog(capacity: window) { pump.fill($0) }
    position = log.head
    source = pump.subscription
  }

  package var response: Response {
    Response(status: .ok, fields: Self.fields, body: .events(self))
  }

  /// The body of the response to an `EventSource` when a stream cannot be opened at the moment.
  ///
  /// It sets a reconnection time of 20 to 40 s, chosen at random. With an error status, a browser's
  /// `EventSource` would never reconnect.
  package static var busyContent: [UInt8] {
    Array("retry: \(Int.random(in: 20_000...40_000))\n: busy\n".utf8)
  }

  /// The complete response with ``busyContent``, which closes the connection.
  package static var busyResponse: Response {
    var response = Response(status: .ok, fields: fields, body: .bytes(busyContent))
    response.fields[.connection] = "close"
    return response
  }

  private static let fields: FieldList = [
    .contentType: "text/event-stream",
    .cacheControl: "no-store, no-transform",
    .vary: "Origin",
    // Without this field, nginx buffers the events until the stream ends.
    .xAccelBuffering: "no",
  ]
}

extension FieldList {
  /// Whether `Accept` lists `text/event-stream`, as that of an `EventSource` does.
  package var acceptsEvents: Bool { list(.accept, contains: "text/event-stream") }

  /// Whether a query asks for heartbeats that are events, because a page does not see the comments of
  /// its `EventSource`.
  package var asksForPings: Bool { count(of: Self.ping) > 0 }

  private static let ping = HTTPField.Name(literal: "ping")
}

extension Request {
  /// The id of the last event that a client has seen, if it sends one.
  ///
  /// The header field `Last-Event-ID`, which a browser sends when it reconnects, takes precedence
  /// over the query parameter `last_event_id`, which is for the first connection and for replacements
  /// of `EventSource`, which spell it in other ways.
  package var lastEventID: String? {
    let spellings = ["last_event_id", "lastEventId", "last-event-id"]
    let sent = spellings.lazy.compactMap { self.query.first(HTTPField.Name(literal: $0)) }
    let given = fields.first(.lastEventID) ?? sent.first
    return given.flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension EventStream {
  /// A cold signal of the events that exist, for a client that must reconnect for later ones because
  /// its connection cannot be kept.
  ///
  /// It waits up to three seconds for the first event, which may have to be read from a store, and
  /// sends once. The stream is over then.
  package func part(on scheduler: any Scheduler) -> Signal<[UInt8], Never> {
    let preamble = Array("retry: \(Int.random(in: 6000...9000))\n: ok\n".utf8) + opening
    let events = Signal<Void, Never>.merge(log.advances, .just(())).compactMap { eventsNow }
    let none = Signal<Duration, Never>.timer(after: .seconds(3), on: scheduler)
      .map { _ in firstID.map { Array("id: \($0)\n\n".utf8) } ?? [] }
    return .merge(events, none).take(1).map { events in
      source?.dispose()
      return preamble + events
    }
  }

  /// The events that exist, at most 64 KiB of them; `nil` if there is none, and one may come.
  private var eventsNow: [UInt8]? {
    switch log.read(from: position, atMost: 65_536) {
    case .blocks(let events, _): events
    case .upToDate: nil
    case .finished, .outside: []
    }
  }
}

extension Exchange {
  /// Responds that a stream cannot be opened at the moment.
  ///
  /// An `EventSource` gets ``EventStream/busyResponse``, because an error status would end it
  /// forever; other clients get the problem.
  package func postponeStream(_ problem: ProblemDetails) {
    if request.fields.acceptsEvents {
      respond(EventStream.busyResponse)
    } else {
      respond(problem)
    }
  }
}

/// The supply of a stream that reads its events as fast as its client takes them: `next` is asked for
/// more when the client has read everything.
final class EventPump: Sendable {
  private enum State {
    case idle
    /// Whether the client wanted events while some were being read.
    case reading(isWanted: Bool)
  }

  private let next: @Sendable () -> Signal<EventSupply, Never>
  private let scheduler: any Scheduler
  private let state = Lock(State.idle)
  /// The subscription to dispose of when the log has no client any more.
  let subscription = SerialDisposable()

  init(on scheduler: any Scheduler, _ next: @escaping @Sendable () -> Signal<EventSupply, Never>) {
    self.scheduler = scheduler
    self.next = next
  }

  /// Reads events into a log, always the same one, unless that is being done.
  func fill(_ log: EventLog) {
    let begins = state.withLock { state in
      switch state {
      case .idle:
        state = .reading(isWanted: false)
        return true
      case .reading:
        state = .reading(isWanted: true)
        return false
      }
    }
    if begins { read(into: log) }
  }

  private func read(into log: EventLog) {
    // A slot of its own: the next reading may begin before `subscribe` returns.
    let slot = SerialDisposable()
    subscription.replace(with: slot)
    slot.replace(with: next().subscribe(next: { self.take($0, into: log) }))
  }

  private func take(_ supply: EventSupply, into log: EventLog) {
    switch supply {
    case .events(let events):
      // The client may want more before all of these are appended; then one more part is read, so
      // that no want is lost.
      state.withLock { $0 = .reading(isWanted: false) }
      log.append(events)
      let isWanted = state.withLock { state in
        if case .reading(isWanted: true) = state {
          state = .reading(isWanted: false)
          return true
        }
        state = .idle
        return false
      }
      if isWanted { read(into: log) }
    case .later(let delay):
      // First the slot: the timer may fire before `schedule` returns, and make the next reading.
      let slot = SerialDisposable()
      subscription.replace(with: slot)
      slot.replace(with: scheduler.schedule(after: delay) { self.read(into: log) })
    case .end: log.finish()
    }
  }
}

/// The events that the source of a stream has for its client.
package enum EventSupply: Sendable {
  case events([ServerSentEvent])
  /// Nothing yet; the source is asked again after a time.
  case later(Duration)
  /// Nothing any more; the stream ends.
  case end
}
