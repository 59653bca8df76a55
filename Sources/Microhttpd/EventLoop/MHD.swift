internal import CMicrohttpd
internal import Glibc
internal import Security

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
///   - identity: The certificate and its key, which enable TLS; libmicrohttpd reads them and does
///     not retain them.
///   - policy: Called for each connection before it is set up, with its context, which is not
///     retained; without a policy, all are accepted.
///   - object: The context of `handler`, which is not retained.
/// - Returns: `nil` if libmicrohttpd rejects the options.
func startLibrary(
  _ flags: UInt32, _ options: [MHD_OptionItem], identity: TLSIdentity?,
  acceptedBy policy: (MHD_AcceptPolicyCallback, AnyObject)? = nil,
  handledBy handler: MHD_AccessHandlerCallback, _ object: AnyObject
) -> OpaquePointer? {
  let end = MHD_OptionItem(.END, 0)
  let policyObject = policy.map { Unmanaged.passUnretained($0.1).toOpaque() }
  let handlerObject = Unmanaged.passUnretained(object).toOpaque()
  let flags = flags | MHD_USE_EPOLL.rawValue | MHD_USE_ERROR_LOG.rawValue
  guard var identity else {
    // With MHD_USE_TURBO, libmicrohttpd closes a connection without `shutdown`.
    return cmicrohttpd_start(
      flags | MHD_USE_TURBO.rawValue, policy?.0, policyObject, handler, handlerObject,
      options + [end])
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
      flags | MHD_USE_TLS.rawValue, policy?.0, policyObject, handler, handlerObject,
      options + secure)
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

  /// Parses a message.
  ///
  /// A message may quote the path of a request. The path may contain a secret, so it is removed.
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

  /// The prefix of the message about a response with libmicrohttpd's own error page.
  private static let errorResponse = "Error processing request (HTTP response code is "

  private static let aboutAccepting = [
    "Error accepting connection", "Failed to start serving new connection",
    "Hit process or system resource limit", "Server reached connection limit",
  ]
}
