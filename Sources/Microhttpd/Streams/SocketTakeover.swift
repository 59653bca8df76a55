internal import CMicrohttpd
internal import HTTPSignals
internal import HTTPTypes

/// A request for a stream: what the service sends, and the properties on which its bytes depend.
struct StreamRequest {
  let stream: EventStream
  let client: ClientAddress
  /// Whether problems are reported in the stream itself, because an error status would permanently
  /// stop a browser's EventSource.
  let isEventSource: Bool
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

/// The takeover of a stream's socket from libmicrohttpd, once the head of the response was sent.
///
/// When libmicrohttpd has sent the head, it asks for the first bytes of the content. The callback
/// reports that the content has failed, so libmicrohttpd closes its descriptor, and the stream
/// continues on a duplicate of that descriptor. This relies on two conditions: with `MHD_USE_TURBO`
/// a connection is closed without `shutdown`, and with TLS the session that sends close_notify can
/// no longer write to the socket.
// Used on the thread of the connection's loop only.
final class SocketTakeover {
  /// The versions of libmicrohttpd with which the tests have run; with any other one, all streams
  /// are sent in parts.
  static let isSupported = ["0.9.75", "1.0.1", "1.0.10"].contains(
    String(cString: MHD_get_version()))

  private let streams: StreamLoop
  private let connection: OpaquePointer
  private let request: StreamRequest
  private var isTaken = false

  init(of connection: OpaquePointer, for request: StreamRequest, by streams: StreamLoop) {
    self.connection = connection
    self.request = request
    self.streams = streams
  }

  /// Returns whether a message of libmicrohttpd is about a takeover, which it reports as a failure.
  ///
  /// Nothing else makes the content of a response fail.
  static func isExpected(_ message: String) -> Bool {
    // The messages for streams with chunks and without.
    message.contains("application error generating response")
      || message.contains("application reported error generating data")
  }

  /// Creates the response that opens the stream; `nil` if there is not enough memory.
  func makeResponse() -> MHDResponse? {
    // C owns the takeover from here on; `contentFreeHandler` releases it.
    let closure = Unmanaged.passRetained(self)
    let made = MHDResponse(
      partBytes: 128, reader: contentReader, closure: closure.toOpaque(), free: contentFreeHandler)
    guard let made else {
      closure.takeRetainedValue().end()
      return nil
    }
    if request.framing == .untilClose { made.endWithClose() }
    // Requests after the stream on this connection are never read.
    made.add(literal: "Connection", "close")
    return made
  }

  fileprivate func take() {
    guard !isTaken, let socket = StreamSocket(takingOver: connection) else { return }
    isTaken = true
    streams.open(request, on: socket)
  }

  fileprivate func end() {
    // The client left before the head was sent, or there was no descriptor.
    if !isTaken { streams.release(request) }
  }
}

/// Takes the socket when libmicrohttpd asks for the content (`MHD_ContentReaderCallback`).
private let contentReader: MHD_ContentReaderCallback = { closure, _, _, _ in
  if let closure { Unmanaged<SocketTakeover>.fromOpaque(closure).takeUnretainedValue().take() }
  return MHD_CONTENT_READER_END_WITH_ERROR
}

/// Releases a takeover (`MHD_ContentReaderFreeCallback`).
private let contentFreeHandler: MHD_ContentReaderFreeCallback = { closure in
  guard let closure else { return }
  // Balances `passRetained` in `makeResponse()`.
  Unmanaged<SocketTakeover>.fromOpaque(closure).takeRetainedValue().end()
}
