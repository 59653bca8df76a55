internal import Platform
internal import CCurl
internal import Glibc
internal import MailingList

/// One request on an easy handle of libcurl.
// Not Sendable: only the thread of the client uses it.
final class WebhookTransfer: CurlOptions {
  /// The maximum number of bytes that are read of a response's body, and of its head.
  private static let maximumBytes = (body: 4_096, head: 16_384)

  let handle: UnsafeMutableRawPointer

  private let fields: UnsafeMutablePointer<curl_slist>
  private let targets: WebhookTargets
  private let isEncrypted: Bool
  private let start = ContinuousClock.now
  private var body: [UInt8] = []
  private var headByteCount = 0
  private var isBlocked = false
  var lacksOption = false

  /// Prepares a request; `nil` if memory is exhausted, or if libcurl was built without an option.
  init?(_ request: WebhookRequest, _ targets: WebhookTargets, authorities: String?) {
    guard CurlHandle.isReady, let handle = curl_easy_init() else { return nil }
    // Without `Expect`, the body is sent at once.
    var list = curl_slist_append(nil, "Expect:")
    for field in request.fields {
      // The former list is also the longer one.
      list = curl_slist_append(list, field) ?? list
    }
    guard let list else {
      curl_easy_cleanup(handle)
      return nil
    }
    self.handle = handle
    fields = list
    self.targets = targets
    isEncrypted = request.url.lowercased().hasPrefix("https:")
    setRequest(request)
    setTLS(authorities)
    setCallbacks()
    if lacksOption { return nil }
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(fields)
  }

  /// Returns the result of the request.
  ///
  /// The head of a response decides, also if the rest is too long, late or missing.
  func response(_ code: CURLcode) -> WebhookResponse {
    var status = 0
    ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
    var seconds: curl_off_t = 0
    ccurl_get_offset(handle, CURLINFO_RETRY_AFTER, &seconds)
    var address: UnsafeMutablePointer<CChar>?
    ccurl_get_string(handle, CURLINFO_PRIMARY_IP, &address)
    let text = String(decoding: body.prefix(WebhookAttempt.responseBytes), as: UTF8.self)
    var response = WebhookResponse(result: .connect)
    response.duration = .now - start
    response.address = address.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    switch status {
    case 200..<300: response.result = .delivered
    case 300...: response.result = .status
    default: response.result = result(code)
    }
    if status >= 200 {
      response.status = status
      response.text = text.isEmpty ? nil : text
      response.retryAfter = seconds > 0 ? .seconds(seconds) : nil
    }
    return response
  }

  private func result(_ code: CURLcode) -> WebhookAttempt.Result {
    switch code {
    case CURLE_OPERATION_TIMEDOUT: .timeout
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER:
      .tls
    default: isBlocked ? .blocked : .connect
    }
  }

  // MARK: Options

  private func setRequest(_ request: WebhookRequest) {
    set(CURLOPT_PROTOCOLS_STR, isEncrypted ? "https" : "http")
    set(CURLOPT_URL, request.url)
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    // Ignore a proxy from the environment: it would connect to any address.
    set(CURLOPT_PROXY, "")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_NETRC, ccurl_netrc_ignored)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_CONNECTTIMEOUT_MS, WebhookClient.connectTimeout.milliseconds)
    set(CURLOPT_TIMEOUT_MS, WebhookClient.timeout.milliseconds)
    set(CURLOPT_BUFFERSIZE, Self.maximumBytes.body)
    set(CURLOPT_MAXAGE_CONN, 30)
    check(ccurl_set_list(handle, CURLOPT_HTTPHEADER, fields))
    set(CURLOPT_POSTFIELDSIZE, request.body.count)
    set(CURLOPT_COPYPOSTFIELDS, String(decoding: request.body, as: UTF8.self))
  }

  private func setTLS(_ authorities: String?) {
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    // A folder of authorities takes longer to read, see CurlHandle.
    set(CURLOPT_CAPATH, nil)
    set(CURLOPT_CAINFO, authorities ?? TrustedAuthorities.systemPath)
  }

  private func setCallbacks() {
    // Unretained, because this object lives until after curl_easy_cleanup.
    let closure = Unmanaged.passUnretained(self).toOpaque()
    for option in [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_OPENSOCKETDATA] {
      check(ccurl_set_pointer(handle, option, closure))
    }
    check(
      ccurl_set_data_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, closure in
        let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return WebhookTransfer.transfer(closure)?.receive(part) == true ? size * count : 0
      }
    )
    check(
      ccurl_set_data_callback(handle, CURLOPT_HEADERFUNCTION) { _, size, count, closure in
        let isAccepted = WebhookTransfer.transfer(closure)?.receiveHead(size * count) == true
        return isAccepted ? size * count : 0
      }
    )
    check(
      ccurl_set_open_callback(handle) { closure, _, address in
        WebhookTransfer.transfer(closure)?.open(address) ?? -1
      }
    )
  }

  /// Opens the socket of a connection, whose address is the one that is checked here.
  private func open(_ target: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    // The address is longer than its declared type if the family is IPv6.
    let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
    let pointer = (UnsafeRawPointer(target) + offset).assumingMemoryBound(to: sockaddr.self)
    guard let address = IPAddress(pointer), targets.allows(address, isEncrypted: isEncrypted) else {
      isBlocked = true
      return -1
    }
    let kind = target.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return socket(target.pointee.family, kind, target.pointee.protocol)
  }

  /// Adds a part of the body, and returns whether more may follow.
  private func receive(_ part: UnsafeRawBufferPointer) -> Bool {
    body += part.prefix(Self.maximumBytes.body - body.count)
    return body.count < Self.maximumBytes.body
  }

  private func receiveHead(_ byteCount: Int) -> Bool {
    headByteCount += byteCount
    return headByteCount <= Self.maximumBytes.head
  }

  private static func transfer(_ closure: UnsafeMutableRawPointer?) -> WebhookTransfer? {
    closure.map { Unmanaged<WebhookTransfer>.fromOpaque($0).takeUnretainedValue() }
  }
}
