internal import HTTPTypes
package import Signals

/// What one client is sent: a beginning of its own, then a log from a position on.
package struct EventStream: Sendable {
  /// What is sent first, at once; the transport puts its preamble before it.
  package let opening: [UInt8]
  /// What is read.
  package let log: EventLog
  /// Where the reading begins.
  package let position: UInt64
  /// What is disposed when the client has gone.
  package let source: (any Disposable)?

  /// Makes a stream.
  ///
  /// - Parameters:
  ///   - log: What is read.
  ///   - position: Where the reading begins.
  ///   - opening: An event that comes before all others, for this client alone.
  ///   - source: What is disposed when the client has gone.
  package init(
    log: EventLog,
    from position: UInt64,
    opening: ServerSentEvent? = nil,
    source: (any Disposable)? = nil
  ) {
    self.opening = opening?.block ?? []
    self.log = log
    self.position = position
    self.source = source
  }

  /// Makes a stream of a signal of events.
  ///
  /// - Parameters:
  ///   - events: What is sent; subscribed now, until it ends or the client has gone. The stream
  ///     ends when it does.
  ///   - opening: An event that comes before all others.
  ///   - window: How many events a slow client may be behind before it is cut.
  package init(
    _ events: Signal<ServerSentEvent, Never>,
    opening: ServerSentEvent? = nil,
    window: Int = 256
  ) {
    self.opening = opening?.block ?? []
    let log = EventLog(capacity: window)
    self.log = log
    position = log.head
    source = events.subscribe(
      next: { event in log.append { _ in event } },
      completed: { log.finish() }
    )
  }

  /// The stream as an answer, with the header fields of every event stream.
  package var response: Response {
    Response(status: .ok, fields: Self.fields, body: .events(self))
  }

  /// What an EventSource reads instead of a stream that there is no place for.
  ///
  /// It says when to come back, in 20 to 40 s. An error status would end a browser's EventSource forever.
  package static var busyContent: [UInt8] {
    Array("retry: \(Int.random(in: 20_000...40_000))\n: busy\n".utf8)
  }

  /// The whole response with ``busyContent``, after which the connection is closed.
  package static var busyResponse: Response {
    var response = Response(status: .ok, fields: fields, body: .bytes(busyContent))
    response.fields[.connection] = "close"
    return response
  }

  private static let fields: HTTPFields = {
    var fields: HTTPFields = [
      .contentType: "text/event-stream",
      .cacheControl: "no-store, no-transform",
      .vary: "Origin",
    ]
    // nginx holds events back until the stream ends unless it is told not to.
    if let name = HTTPField.Name("X-Accel-Buffering") { fields[name] = "no" }
    return fields
  }()
}

extension FieldList {
  /// Whether the header fields say that the client reads event streams, as an EventSource does.
  package var acceptsEvents: Bool { list("accept", contains: "text/event-stream") }
}
