internal import CMicrohttpd
internal import GnuTLS

extension MHD_OptionItem {
  init(_ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil) {
    self.init(option: option, value: value, ptr_value: pointer)
  }
}

/// Starts libmicrohttpd without threads of its own, with epoll, and with flags that allow a
/// stream's socket to be taken over (``SocketTakeover``).
///
/// - Parameters:
///   - flags: Additional flags.
///   - options: The options, without the terminating one.
///   - identity: The certificate and its key, which enable TLS; libmicrohttpd reads them and does
///     not keep them.
///   - policy: Called for each connection before it is set up; without it, all are accepted.
///   - handler: Called for each part of a request.
///   - closure: The context pointer for both callbacks.
/// - Returns: The daemon; `nil` if libmicrohttpd rejects the options.
func startLibrary(
  _ flags: UInt32,
  _ options: [MHD_OptionItem],
  identity: TLSIdentity?,
  acceptedBy policy: MHD_AcceptPolicyCallback? = nil,
  handledBy handler: MHD_AccessHandlerCallback,
  _ closure: UnsafeMutableRawPointer
) -> OpaquePointer? {
  let end = MHD_OptionItem(.END, 0)
  let flags = flags | MHD_USE_EPOLL.rawValue | MHD_USE_ERROR_LOG.rawValue
  guard var identity else {
    // With MHD_USE_TURBO, libmicrohttpd closes a connection without `shutdown`.
    return cmicrohttpd_start(
      flags | MHD_USE_TURBO.rawValue,
      policy,
      handler,
      closure,
      options + [end]
    )
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
      flags | MHD_USE_TLS.rawValue,
      policy,
      handler,
      closure,
      options + secure
    )
  }
}
