internal import HTTPSignals

/// What a stream has to know of the request that it answers.
struct StreamRequest {
  /// Who asks.
  let client: ClientAddress
  /// Whether the client is told of trouble in the stream itself, since an error status would end a
  /// browser's EventSource for ever.
  let isEventSource: Bool
  /// How the client is told where the stream ends.
  let framing: StreamFraming
  /// How the stream is written.
  let transport: Daemon.StreamTransport

  /// Makes it of a request's head.
  ///
  /// - Parameters:
  ///   - client: Who asks.
  ///   - fields: The header fields.
  ///   - isHTTP10: Whether the request is of HTTP/1.0, which knows no chunks.
  ///   - transport: How a stream on the request's connection is written.
  init(
    client: ClientAddress,
    fields: FieldList,
    isHTTP10: Bool,
    transport: Daemon.StreamTransport
  ) {
    self.client = client
    self.transport = transport
    isEventSource = fields.acceptsEvents
    let closes = fields.list("connection", contains: "close")
    framing = isHTTP10 || closes ? .untilClose : .chunked
  }
}

/// How a stream's bytes are told from what follows them (RFC 9112 §6.3).
enum StreamFraming {
  /// In chunks, the last of which is empty.
  case chunked
  /// The end of the connection is the end of the stream.
  case untilClose
}
