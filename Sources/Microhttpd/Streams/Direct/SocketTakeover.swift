internal import CMicrohttpd
internal import HTTPSignals

/// The takeover of a stream's socket from libmicrohttpd, once the head of the response has been
/// sent.
///
/// When libmicrohttpd has sent the head, it asks for the first bytes of the content. The callback
/// reports that the content has failed, so libmicrohttpd closes its descriptor, and the stream
/// continues on a duplicate of that descriptor. This relies on two conditions: with `MHD_USE_TURBO`
/// a connection is closed without `shutdown`, and with TLS the session that sends close_notify can
/// no longer write to the socket. ``TakeoverProbe`` checks at startup that the takeover works.
// Used on the loop's thread only.
final class SocketTakeover: StreamContent {
  private let transport: DirectTransport
  private let connection: OpaquePointer
  private let request: StreamRequest
  private var isTaken = false

  init(of connection: OpaquePointer, for request: StreamRequest, by transport: DirectTransport) {
    self.connection = connection
    self.request = request
    self.transport = transport
  }

  /// Returns whether a message of libmicrohttpd is about a takeover, which it reports as a failure.
  ///
  /// Nothing else makes the content of a response fail.
  static func isExpected(_ message: String) -> Bool {
    // The messages for streams with chunks and without.
    message.contains("application error generating response")
      || message.contains("application reported error generating data")
  }

  /// Takes the socket, and reports a failure to libmicrohttpd.
  override func read(into _: UnsafeMutableRawBufferPointer) -> Int {
    if !isTaken, let socket = StreamSocket(takingOver: connection) {
      isTaken = true
      transport.open(request, on: socket)
    }
    return MHD_CONTENT_READER_END_WITH_ERROR
  }

  /// Releases the stream if its socket was not taken.
  override func close() {
    // The client left before the head was sent, or there was no descriptor.
    if !isTaken { transport.release(request) }
  }
}
