internal import CCurl
internal import Glibc

/// An easy handle of libcurl for SMTP, with at most one connection.
///
/// Only one thread may use it. The corresponding C functions are those of `curl_easy_init`.
final class CurlHandle {
  private let handle: UnsafeMutableRawPointer
  /// What the callbacks use; released after the handle.
  private let transfer: SMTPTransfer
  /// The longest time until a connection is established, in milliseconds.
  private let connectTimeout: Int

  /// Whether an option could not be set, so that a transfer might not be encrypted, for instance.
  private var lacksOption = false

  /// Initializes libcurl once, for the whole process, at the first use; whether it succeeded.
  static let isReady = ccurl_start() == CURLE_OK

  /// Creates a handle; `nil` without memory, or if libcurl was built without an option.
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
    // libcurl would send QUIT and wait for the reply.
    transfer.sockets.shutDown()
    curl_easy_cleanup(handle)
  }

  /// The number of connections that the last transfer opened.
  var connectionCount: Int {
    var count = 0
    return ccurl_get_long(handle, CURLINFO_NUM_CONNECTS, &count) == CURLE_OK ? count : 0
  }

  /// Connects if necessary, and sends NOOP.
  ///
  /// - Parameter timeout: The longest time, in milliseconds, at least 1.
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

  /// Connects if necessary, and sends a mail.
  ///
  /// - Parameter timeout: The longest time, in milliseconds, at least 1.
  func sendMail(from sender: String, to recipient: String, timeout: Int) -> CURLcode {
    guard let recipients = curl_slist_append(nil, "<\(recipient)>") else {
      return CURLE_OUT_OF_MEMORY
    }
    defer {
      // libcurl keeps the pointer.
      _ = ccurl_set_list(handle, CURLOPT_MAIL_RCPT, nil)
      curl_slist_free_all(recipients)
    }
    set(CURLOPT_NOBODY, 0)
    // No CURLOPT_INFILESIZE: the message ends where the callback returns 0.
    set(CURLOPT_UPLOAD, 1)
    set(CURLOPT_CUSTOMREQUEST, nil)
    set(CURLOPT_MAIL_FROM, "<\(sender)>")
    check(ccurl_set_list(handle, CURLOPT_MAIL_RCPT, recipients))
    return perform(timeout: timeout)
  }

  private func perform(timeout: Int) -> CURLcode {
    set(CURLOPT_TIMEOUT_MS, timeout)
    // libcurl also counts the greeting, TLS, EHLO and AUTH as connecting. Their time is that of a
    // reply each, so the limit ends when the connection is established.
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
    // Postfix rejects. Brackets of an address literal are not allowed in a path.
    let name = settings.clientName.replacing("[", with: "%5B").replacing("]", with: "%5D")
    set(CURLOPT_URL, "\(scheme)://\(server.host):\(server.port)/\(name)")
    // Not a proxy from the environment.
    set(CURLOPT_PROXY, "")
    // No Unix signals for time limits: the process has other threads.
    set(CURLOPT_NOSIGNAL, 1)
    // A canceled transfer does not wait for a DNS server that does not respond. Older versions do
    // not know the option.
    _ = ccurl_set_long(handle, CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_SERVER_RESPONSE_TIMEOUT, (settings.replyTimeout.milliseconds + 999) / 1000)
    set(CURLOPT_MAXCONNECTS, 1)
    set(CURLOPT_MAXAGE_CONN, 30)
    guard let user = server.user else { return }
    set(CURLOPT_USERNAME, user)
    set(CURLOPT_PASSWORD, server.password)
    // libcurl prefers NTLM where it is offered, and does not fall back.
    set(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN")
  }

  private func setTLS(_ settings: SMTPSettings) {
    let use =
      switch settings.security {
      case .required: CURLUSESSL_ALL
      case .opportunistic: CURLUSESSL_TRY
      case .off: CURLUSESSL_NONE
      }
    set(CURLOPT_USE_SSL, Int(use.rawValue))
    let isVerified = settings.security == .required
    set(CURLOPT_SSL_VERIFYPEER, isVerified ? 1 : 0)
    set(CURLOPT_SSL_VERIFYHOST, isVerified ? 2 : 0)
    // libcurl's default is TLS 1.0, which RFC 8996 prohibits; without verification anything is
    // better than plain text.
    if isVerified { set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)) }
    // Debian's libcurl reads a folder with the system's authorities by default, and no file: they
    // would be trusted next to the operator's own, and take 27 ms for each handshake. The file with
    // all of them takes a few, and an image without Debian has only that.
    set(CURLOPT_CAPATH, nil)
    set(CURLOPT_CAINFO, settings.authorities ?? "/etc/ssl/certs/ca-certificates.crt")
  }

  private func setCallbacks() {
    // Unretained: the handle retains the transfer until after curl_easy_cleanup.
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
    // The default writes to standard output.
    check(
      ccurl_set_data_callback(handle, CURLOPT_WRITEFUNCTION) { _, size, count, _ in size * count }
    )
    // The only way to see which command was sent last.
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

  /// Returns the transfer of a callback, which the handle retains while libcurl can call.
  private static func transfer(_ closure: UnsafeMutableRawPointer?) -> SMTPTransfer? {
    closure.map { Unmanaged<SMTPTransfer>.fromOpaque($0).takeUnretainedValue() }
  }

  private func set(_ option: CURLoption, _ value: Int) {
    check(ccurl_set_long(handle, option, value))
  }

  private func set(_ option: CURLoption, _ value: String?) {
    check(ccurl_set_string(handle, option, value))
  }

  private func check(_ code: CURLcode) {
    if code != CURLE_OK { lacksOption = true }
  }
}

extension Duration {
  /// The whole milliseconds, rounded up.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
