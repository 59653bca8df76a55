internal import CMicrohttpd
internal import HTTPSignals

/// Takes a stream's socket over from libmicrohttpd, once the head was sent.
///
/// libmicrohttpd asks for the first bytes of the content when it has sent the head. It is answered
/// there that the content failed, and closes its descriptor; the stream goes on in a copy of it.
/// That rests on `MHD_USE_TURBO`, with which a connection is closed without `shutdown`, and on TLS
/// saying goodbye to a session that sends nothing any more; whether it is so was tried by
/// ``TakeoverProbe`` at the start.
// Used on the loop's thread only.
final class SocketTakeover {
  private let streams: StreamRegistry
  private let connection: OpaquePointer
  private let stream: EventStream
  private let request: StreamRequest
  private var isTaken = false

  init(
    streams: StreamRegistry,
    connection: OpaquePointer,
    stream: EventStream,
    request: StreamRequest
  ) {
    self.streams = streams
    self.connection = connection
    self.stream = stream
    self.request = request
  }

  /// Takes the socket; called by `takeoverReader`.
  func take() {
    guard !isTaken else { return }
    guard let socket = StreamSocket(takingOver: connection) else { return }
    isTaken = true
    streams.takeOver(stream, on: socket, for: request)
  }

  /// libmicrohttpd lets go of the connection; called by `takeoverFreeHandler`.
  func close() {
    // The client has left before the head was sent, or there was no descriptor.
    if !isTaken { streams.closed(stream, for: request) }
  }
}

/// Hands a connection's socket over (`MHD_ContentReaderCallback`).
let takeoverReader: MHD_ContentReaderCallback = { closure, _, _, _ in
  if let closure { Unmanaged<SocketTakeover>.fromOpaque(closure).takeUnretainedValue().take() }
  return MHD_CONTENT_READER_END_WITH_ERROR
}

/// Releases a takeover (`MHD_ContentReaderFreeCallback`).
let takeoverFreeHandler: MHD_ContentReaderFreeCallback = { closure in
  guard let closure else { return }
  // The twin of `passRetained` in `StreamRegistry.makeTakeover`.
  Unmanaged<SocketTakeover>.fromOpaque(closure).takeRetainedValue().close()
}
