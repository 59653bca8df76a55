internal import HTTPSignals
internal import HTTPTypes

/// A request for a stream: what the service sends, and the properties on which its bytes depend.
struct StreamRequest {
  let stream: EventStream
  let client: ClientAddress
  /// Whether problems are reported in the stream itself, because an error status would permanently
  /// stop a browser's EventSource.
  let isEventSource: Bool
  /// The framing that marks the end of the stream.
  let framing: StreamFraming

  /// Derives the properties from the head of a request; HTTP/1.0 has no chunks.
  init(_ stream: EventStream, client: ClientAddress, fields: FieldList, isHTTP10: Bool) {
    self.stream = stream
    self.client = client
    isEventSource = fields.acceptsEvents
    let closes = fields.list(.connection, contains: "close")
    framing = isHTTP10 || closes ? .untilClose : .chunked
  }
}

/// The framing of a stream's bytes, which marks the end of the stream (RFC 9112 §6.3).
enum StreamFraming {
  /// Chunks, the last of which is empty.
  case chunked
  /// No framing: the stream ends with the connection.
  case untilClose
}
