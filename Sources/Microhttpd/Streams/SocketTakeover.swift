internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import HTTPTypes
internal import Platform
internal import Security

/// A request for a stream: what the service sends, and the properties on which its bytes depend.
struct StreamRequest {
  let stream: EventStream
  let client: ClientAddress
  /// Whether heartbeats are events.
  let sendsPings: Bool
  let framing: StreamFraming

  /// Derives the properties from the head of a request; HTTP/1.0 has no chunks.
  init(
    _ stream: EventStream, client: ClientAddress, query: FieldList, fields: FieldList,
    isHTTP10: Bool
  ) {
    self.stream = stream
    self.client = client
    sendsPings = query.asksForPings
    let closes = fields.list(.connection, contains: "close")
    framing = isHTTP10 || closes ? .untilClose : .chunked
  }
}

/// The framing of a stream's bytes, which marks the end of the stream (RFC 9112 §6.3).
enum StreamFraming {
  /// Chunks, the last of which is empty.
  case chunked
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

private let contentFreeHandler: MHD_ContentReaderFreeCallback = { closure in
  guard let closure else { return }
  // Balances `passRetained` in `makeResponse()`.
  Unmanaged<SocketTakeover>.fromOpaque(closure).takeRetainedValue().end()
}

/// A socket that belongs to one stream, independent of libmicrohttpd.
struct StreamSocket {
  let descriptor: Int32
  private let records: TLSRecordWriter?

  /// Returns whether the socket of a connection can be taken over; it cannot with TLS 1.2.
  static func canTakeOver(_ connection: OpaquePointer) -> Bool {
    SocketTakeover.isSupported
      && (cmicrohttpd_tls_session(connection).map { TLSRecordSealer.canSeal($0) } ?? true)
  }

  /// Duplicates the descriptor of a connection with no unsent bytes, and takes over its encryption;
  /// `nil` if that is not possible, or the process has no file descriptor left.
  ///
  /// libmicrohttpd may close its socket afterwards, but must not shut it down.
  init?(takingOver connection: OpaquePointer) {
    let copy = fcntl(cmicrohttpd_descriptor(connection), F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return nil }
    if let session = cmicrohttpd_tls_session(connection) {
      guard let records = TLSRecordWriter(takingOver: session) else {
        Glibc.close(copy)
        return nil
      }
      self.records = records
    } else {
      records = nil
    }
    descriptor = copy
  }

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    records = nil
  }

  /// Whether the stream must end when the client sends bytes.
  ///
  /// The session that could decrypt those bytes is gone. They may contain a KeyUpdate that requests
  /// a new key, and the response to it must precede all other bytes (RFC 8446 §4.6.3).
  var endsAtInput: Bool { records != nil }

  /// Makes the kernel send each event immediately; other options are inherited from the listening
  /// socket.
  ///
  /// A Unix socket rejects the option, and sends immediately anyway.
  func configure(_ framing: StreamFraming) {
    // A close before the end must not look like the end, where the close alone marks it.
    if framing == .untilClose { setResetsOnClose(true, of: descriptor) }
    var isOn: Int32 = 1
    var isOff: Int32 = 0
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, size)
    // With TLS, libmicrohttpd holds the head back until content follows it.
    if records != nil { setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &isOff, size) }
  }

  /// Sends bytes without blocking; those that were not accepted before must come first, unchanged.
  func send(_ bytes: UnsafeRawBufferPointer) -> RawSocket.Sent {
    let socket = RawSocket(descriptor)
    return records.map { $0.send(bytes, to: socket) } ?? socket.send(bytes)
  }

  /// Resets the connection; bytes that the client has not read are dropped.
  func reset() {
    setResetsOnClose(true, of: descriptor)
    Glibc.close(descriptor)
  }

  /// Closes the connection; bytes that were sent are still delivered.
  func close() {
    setResetsOnClose(false, of: descriptor)
    records?.finish(on: RawSocket(descriptor))
    // With unread bytes from the client, the kernel would reset the connection instead.
    recv(descriptor, nil, 1 << 20, Int32(MSG_TRUNC | MSG_DONTWAIT))
    Glibc.close(descriptor)
  }
}
