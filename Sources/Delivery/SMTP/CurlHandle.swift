internal import CCurl
internal import Glibc

/// An easy handle of libcurl for SMTP, with at most one connection.
///
/// Only one thread may use it. The corresponding C functions are `curl_easy_init` and related ones.
final class CurlHandle: CurlOptions {
  let handle: UnsafeMutableRawPointer
  /// The state of the callbacks; released after the handle.
  private let transfer: SMTPTransfer
  /// The timeout for establishing a connection, in milliseconds.
  private let connectTimeout: Int

  var lacksOption = false

  /// Whether libcurl could be initialized, which the first use does once for the whole process.
  static let isReady = ccurl_start() == CURLE_OK

  /// Creates a handle; `nil` if memory is exhausted, or if libcurl was built without an option.
  init?(_ settings: SMTPSettings, transfer: SMTPTransfer) {
    guard Self.isReady, let handle = curl_easy_init() else { return nil }
    self.handle = handle
    self.transfer = transfer
    connectTimeout = settings.connectTimeout.milliseconds
    setConnection(settings)
    setTLS(settings)
    setCallbacks()
    if lacksOption { return nil }
  }

  deinit {
    // Otherwise libcurl would send QUIT and wait for the reply.
    transfer.sockets.shutDown()
    curl_easy_cleanup(handle)
  }

  /// The number of connections that the last transfer opened.
  var connectionCount: Int {
    var count = 0
    return ccurl_get_long(handle, CURLINFO_NUM_CONNECTS, &count) == CURLE_OK ? count : 0
  }

  /// Connects if necessary, and sends NOOP; the timeout is in milliseconds, at least 1.
  func sendNOOP(timeout: Int) -> CURLcode {
    set(CURLOPT_UPLOAD, 0)
    set(CURLOPT_NOBODY, 1)
    set(CURLOPT_CUSTOMREQUEST, "NOOP")
    return perform(timeout: timeout)
  }

  /// Sends QUIT over the open connection, which the transfer then shuts down.
  func sendQUIT() {
    set(CURLOPT_UPLOAD, 0)
    set(CURLOPT_NOBODY, 1)
    set(CURLOPT_CUSTOMREQUEST, "QUIT")
    _ = perform(timeout: 500)
  }

  /// Connects if necessary, and sends a mail; the timeout is in milliseconds, at least 1.
  func sendMail(from sender: String, to recipient: String, timeout: Int) -> CURLcode {
    guard let recipients = curl_slist_append(nil, "<\(recipient)>") else {
      return CURLE_OUT_OF_MEMORY
    }
    defer {
      // Otherwise libcurl would keep the pointer to the freed list.
      _ = ccurl_set_list(handle, CURLOPT_MAIL_RCPT, nil)
      curl_slist_free_all(recipients)
    }
    set(CURLOPT_NOBODY, 0)
    // CURLOPT_INFILESIZE is not set: the message ends when the callback returns 0.
    set(CURLOPT_UPLOAD, 1)
    set(CURLOPT_CUSTOMREQUEST, nil)
    set(CURLOPT_MAIL_FROM, "<\(sender)>")
    check(ccurl_set_list(handle, CURLOPT_MAIL_RCPT, recipients))
    return perform(timeout: timeout)
  }

  private func perform(timeout: Int) -> CURLcode {
    set(CURLOPT_TIMEOUT_MS, timeout)
    // libcurl also counts the greeting, TLS, EHLO and AUTH as connecting. Each of these has the
    // timeout of a reply, so the connect timeout ends when the connection is established.
    set(CURLOPT_CONNECTTIMEOUT_MS, connectTimeout)
    transfer.whenConnected { [handle] in
      _ = ccurl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, timeout)
    }
    defer { transfer.whenConnected(nil) }
    return lacksOption ? CURLE_OUT_OF_MEMORY : curl_easy_perform(handle)
  }

  // MARK: Options

  private func setConnection(_ settings: SMTPSettings) {
    let server = settings.server
    let scheme = server.hasImplicitTLS ? "smtps" : "smtp"
    // The path is the name that EHLO sends; libcurl's default is the container's host name, which
    // Postfix rejects. A path must not contain the brackets of an address literal.
    let name = settings.clientName.replacing("[", with: "%5B").replacing("]", with: "%5D")
    set(CURLOPT_URL, "\(scheme)://\(server.host):\(server.port)/\(name)")
    // Ignore a proxy from the environment.
    set(CURLOPT_PROXY, "")
    // Use no Unix signals for timeouts, because the process has other threads.
    set(CURLOPT_NOSIGNAL, 1)
    // With this option, a canceled transfer does not wait for an unresponsive DNS server. Older
    // versions lack the option, so a failure to set it is ignored.
    _ = ccurl_set_long(handle, CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_SERVER_RESPONSE_TIMEOUT, (settings.replyTimeout.milliseconds + 999) / 1000)
    set(CURLOPT_MAXCONNECTS, 1)
    set(CURLOPT_MAXAGE_CONN, 30)
    guard let user = server.user else { return }
    set(CURLOPT_USERNAME, user)
    set(CURLOPT_PASSWORD, server.password)
    // Otherwise libcurl would prefer NTLM where it is offered, and not fall back.
    set(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN")
  }

  private func setTLS(_ settings: SMTPSettings) {
    let use =
      switch settings.security {
      case .required: ccurl_ssl_all
      case .opportunistic: ccurl_ssl_try
      case .off: ccurl_ssl_none
      }
    set(CURLOPT_USE_SSL, use)
    let isVerified = settings.security == .required
    set(CURLOPT_SSL_VERIFYPEER, isVerified ? 1 : 0)
    set(CURLOPT_SSL_VERIFYHOST, isVerified ? 2 : 0)
    // libcurl's default is TLS 1.0, which RFC 8996 prohibits; without verification, any version is
    // better than plain text.
    if isVerified { set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)) }
    // By default, Debian's libcurl reads the system's authorities from a folder instead of a file:
    // they would be trusted in addition to the operator's own, and take 27 ms for each handshake.
    // The file with all of them takes a few ms, and an image without Debian has only that.
    set(CURLOPT_CAPATH, nil)
    set(CURLOPT_CAINFO, settings.authorities ?? "/etc/ssl/certs/ca-certificates.crt")
  }

  private func setCallbacks() {
    // Unretained, because this object retains the transfer until after curl_easy_cleanup.
    let closure = Unmanaged.passUnretained(transfer).toOpaque()
    for option in [
      CURLOPT_READDATA, CURLOPT_HEADERDATA, CURLOPT_DEBUGDATA, CURLOPT_XFERINFODATA,
      CURLOPT_SOCKOPTDATA, CURLOPT_CLOSESOCKETDATA,
    ] {
      check(ccurl_set_pointer(handle, option, closure))
    }
    check(
      ccurl_set_data_callback(handle, CURLOPT_READFUNCTION) { bytes, size, count, closure in
        let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
        return CurlHandle.transfer(closure)?.read(into: buffer) ?? 0
      }
    )
    check(
      ccurl_set_data_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, closure in
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        CurlHandle.transfer(closure)?.receive(line)
        return size * count
      }
    )
    // libcurl's default writes to standard output.
    check(
      ccurl_set_data_callback(handle, CURLOPT_WRITEFUNCTION) { _, size, count, _ in size * count })
    // The debug callback is the only way to see the last command.
    check(
      ccurl_set_debug_callback(handle) { _, kind, bytes, count, closure in
        guard kind == CURLINFO_HEADER_OUT else { return 0 }
        CurlHandle.transfer(closure)?.sent(UnsafeRawBufferPointer(start: bytes, count: count))
        return 0
      }
    )
    set(CURLOPT_VERBOSE, 1)
    check(
      ccurl_set_progress_callback(handle) { closure, _, _, _, _ in
        CurlHandle.transfer(closure)?.mayContinue() == false ? 1 : 0
      }
    )
    set(CURLOPT_NOPROGRESS, 0)
    check(
      ccurl_set_socket_callback(handle) { closure, socket, _ in
        CurlHandle.transfer(closure)?.open(socket) == true ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR
      }
    )
    check(
      ccurl_set_close_callback(handle) { closure, socket in
        CurlHandle.transfer(closure)?.sockets.close(socket) ?? close(socket)
      }
    )
  }

  /// Returns the transfer of a callback, which the handle retains as long as libcurl can call back.
  private static func transfer(_ closure: UnsafeMutableRawPointer?) -> SMTPTransfer? {
    closure.map { Unmanaged<SMTPTransfer>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension Duration {
  /// The whole milliseconds, rounded up.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
