internal import CMicrohttpd

extension MHD_OptionItem {
  init(_ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil) {
    self.init(option: option, value: value, ptr_value: pointer)
  }
}

/// Starts libmicrohttpd without threads of its own, with epoll, and so that the socket of a stream
/// can be taken over (``SocketTakeover``).
///
/// - Parameters:
///   - flags: More flags.
///   - options: The options, without the last.
///   - identity: What makes it speak TLS; libmicrohttpd reads it and does not keep it.
///   - policy: Is asked for each connection before anything is spent on it; without it, all are
///     accepted.
///   - handler: Is given each part of a request.
///   - closure: Is handed to both.
/// - Returns: `nil` when libmicrohttpd rejects.
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
    // A connection is closed without a `shutdown` then.
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
    // Not with MHD_USE_TURBO, with which TLS is ended without a goodbye.
    return cmicrohttpd_start(
      flags | MHD_USE_TLS.rawValue,
      policy,
      handler,
      closure,
      options + secure
    )
  }
}
