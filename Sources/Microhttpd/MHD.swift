internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import Security
internal import Signals

extension MHD_OptionItem {
  init(_ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil) {
    self.init(option: option, value: value, ptr_value: pointer)
  }

  init<Callback>(_ option: MHD_OPTION, calling callback: Callback, _ object: AnyObject? = nil) {
    self.init(
      option, unsafeBitCast(callback, to: Int.self),
      object.map { Unmanaged.passUnretained($0).toOpaque() })
  }
}

/// Starts libmicrohttpd without threads of its own, with epoll, and with flags that allow a
/// stream's socket to be taken over (``SocketTakeover``).
///
/// - Parameters:
///   - options: The options, without the terminating one.
///   - identity: The certificate and its key, which enable TLS and are not retained.
///   - object: The context of both callbacks, which is not retained.
/// - Returns: `nil` if libmicrohttpd rejects the options.
func startLibrary(
  _ options: [MHD_OptionItem], identity: TLSIdentity?,
  acceptedBy policy: MHD_AcceptPolicyCallback, handledBy handler: MHD_AccessHandlerCallback,
  _ object: AnyObject
) -> OpaquePointer? {
  let end = MHD_OptionItem(.END, 0)
  let context = Unmanaged.passUnretained(object).toOpaque()
  let flags =
    MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_EPOLL.rawValue | MHD_USE_ERROR_LOG.rawValue
  guard var identity else {
    // With MHD_USE_TURBO, libmicrohttpd closes a connection without `shutdown`.
    return cmicrohttpd_start(
      flags | MHD_USE_TURBO.rawValue, policy, context, handler, context, options + [end])
  }
  return identity.withCStrings { certificate, key, priorities in
    let secure = [
      MHD_OptionItem(.HTTPS_MEM_CERT, 0, certificate),
      MHD_OptionItem(.HTTPS_MEM_KEY, 0, key),
      MHD_OptionItem(.HTTPS_PRIORITIES, 0, priorities),
      end,
    ]
    // Not with MHD_USE_TURBO, which would end TLS sessions without close_notify.
    return cmicrohttpd_start(
      flags | MHD_USE_TLS.rawValue, policy, context, handler, context, options + secure)
  }
}

/// Leaves percent-encoding unchanged (`MHD_OPTION_UNESCAPE_CALLBACK`): if libmicrohttpd decoded it,
/// `/status%00x` would become `/status`.
let unescapeHandler:
  @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int = {
    _, _, text in
    text.map { strlen($0) } ?? 0
  }

/// A message of libmicrohttpd, prepared for the log.
///
/// Any client can cause messages about its connection, as often as it likes, and each release words
/// them anew, so messages are only logged for debugging. Only those are counted that any release
/// begins in the same way.
struct LibraryMessage {
  /// The kind of rejection to count; `nil` for a message about a single connection that the client
  /// or the network has ended.
  let kind: RejectionKind?
  /// The message on one line, without quoted request data.
  let text: String

  /// A message may quote the path of a request, which may contain a secret, so it is removed.
  init(_ message: String) {
    kind = Self.kind(of: message)
    var text = message.filter { !$0.isNewline }
    if let opening = text.firstIndex(of: "`"), let closing = text.lastIndex(of: "'"),
      opening < closing
    {
      text.replaceSubrange(opening...closing, with: "a path")
    }
    self.text = text
  }

  private static func kind(of message: String) -> RejectionKind? {
    if message.hasPrefix(errorResponse) {
      // The status follows; the client is responsible for those below 500, and for the version.
      let status = message.dropFirst(errorResponse.count).prefix(3)
      return status.first == "4" || status == "505" ? .malformedRequest : .library
    }
    if aboutAccepting.contains(where: { message.hasPrefix($0) }) { return .accept }
    return message.hasPrefix("Call to ") ? .library : nil
  }

  // About a response with libmicrohttpd's own error page.
  private static let errorResponse = "Error processing request (HTTP response code is "

  private static let aboutAccepting = [
    "Error accepting connection", "Failed to start serving new connection",
    "Hit process or system resource limit", "Server reached connection limit",
  ]
}

/// A response in the form that libmicrohttpd sends.
///
/// The creator of a response calls ``destroy()`` once, after queueing it; libmicrohttpd retains it
/// until it is sent.
struct MHDResponse {
  private let pointer: OpaquePointer

  /// Converts a response, without its header fields; `nil` if there is not enough memory.
  ///
  /// A stream becomes the response to HEAD, without content (RFC 9110 §9.3.2) and without a length,
  /// which is not known. libmicrohttpd would send the last chunk after it, so a flag makes it close
  /// the connection and use no chunks.
  init?(_ response: Response) {
    switch response.body {
    case .none:
      self.init(MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT))
    case .bytes(let bytes):
      self.init(
        bytes.withUnsafeBytes { bytes in
          MHD_create_response_from_buffer(
            bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
        }
      )
    case .events(let events):
      events.source?.dispose()
      self.init(partBytes: 2048, reader: noReader, closure: nil, free: nil)
      endWithClose()
    }
  }

  /// Creates a response whose content libmicrohttpd reads from callbacks, in parts of at most
  /// `partBytes`; `nil` if there is not enough memory.
  init?(
    partBytes: Int, reader: MHD_ContentReaderCallback, closure: UnsafeMutableRawPointer?,
    free: MHD_ContentReaderFreeCallback?
  ) {
    self.init(MHD_create_response_from_callback(.max, partBytes, reader, closure, free))
  }

  private init?(_ pointer: OpaquePointer?) {
    guard let pointer else { return nil }
    self.pointer = pointer
  }

  /// Makes the close of the connection the only mark of the end, without chunks.
  func endWithClose() {
    cmicrohttpd_set_flags(pointer, .RF_HTTP_1_0_COMPATIBLE_STRICT)
  }

  /// Adds a header field; `false` if libmicrohttpd rejects it, for a line break or without a value.
  func add(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) -> Bool {
    MHD_add_response_header(pointer, name, value) == .YES
  }

  func add(literal name: StaticString, _ value: StaticString) {
    // The bytes of a literal end with a NUL. Swift would copy a `String` that is passed to C.
    _ = add(
      UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self),
      UnsafeRawPointer(value.utf8Start).assumingMemoryBound(to: CChar.self))
  }

  func queue(on connection: OpaquePointer, status: Int) -> MHD_Result {
    MHD_queue_response(connection, UInt32(status), pointer)
  }

  func destroy() { MHD_destroy_response(pointer) }
}

/// Ends the content of a response to HEAD, which is empty (`MHD_ContentReaderCallback`).
private let noReader: MHD_ContentReaderCallback = { _, _, _, _ in MHD_CONTENT_READER_END_OF_STREAM }
