internal import CCurl
internal import Glibc
package import Platform

/// A GET request to a service on this machine, of which only the status matters.
///
/// It does not verify the certificate: the name of this machine differs from the certificate's, and
/// the request contains no secrets.
package final class StatusRequest: CurlOptions {
  let handle: UnsafeMutableRawPointer
  var lacksOption = false

  /// Sends a request and returns the status; blocks for at most the timeout.
  package static func send(
    _ path: String, to address: SocketAddress, isSecure: Bool, timeout: Duration
  ) throws(StatusRequestError) -> Int {
    guard let request = StatusRequest(path, to: address, isSecure: isSecure, timeout: timeout)
    else { throw .system(errno: ENOMEM) }
    return try request.send()
  }

  /// Creates a request; `nil` if memory is exhausted.
  private init?(_ path: String, to address: SocketAddress, isSecure: Bool, timeout: Duration) {
    guard CurlHandle.isReady, let handle = curl_easy_init() else { return nil }
    self.handle = handle
    var host = "localhost"
    switch address {
    case .network(let endpoint): host = endpoint.description
    case .unix(let path): set(CURLOPT_UNIX_SOCKET_PATH, path)
    }
    set(CURLOPT_URL, "\(isSecure ? "https" : "http")://\(host)\(path)")
    // Ignore a proxy from the environment.
    set(CURLOPT_PROXY, "")
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_TIMEOUT_MS, timeout.milliseconds)
    set(CURLOPT_SSL_VERIFYPEER, 0)
    set(CURLOPT_SSL_VERIFYHOST, 0)
    // libcurl's default writes to standard output.
    check(
      ccurl_set_data_callback(handle, CURLOPT_WRITEFUNCTION) { _, size, count, _ in size * count })
    if lacksOption { return nil }
  }

  deinit {
    curl_easy_cleanup(handle)
  }

  private func send() throws(StatusRequestError) -> Int {
    let code = curl_easy_perform(handle)
    var status = 0
    ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
    // The head decides, even if the rest is late or missing.
    guard status == 0 else { return status }
    var errorNumber = 0
    ccurl_get_long(handle, CURLINFO_OS_ERRNO, &errorNumber)
    switch code {
    case CURLE_OPERATION_TIMEDOUT: throw .timeout
    case CURLE_SSL_CONNECT_ERROR: throw .noTLS
    case CURLE_COULDNT_CONNECT where errorNumber != 0: throw .system(errno: Int32(errorNumber))
    default: throw .noHTTP
    }
  }
}

/// The reason why a request got no response.
package enum StatusRequestError: Error, Hashable, Sendable {
  case timeout
  /// The response is not HTTP.
  case noHTTP
  /// The service does not speak TLS.
  case noTLS
  /// A system call failed.
  case system(errno: Int32)
}

extension StatusRequestError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .timeout: "no response in time"
    case .noHTTP: "the response is not HTTP"
    case .noTLS: "it does not speak TLS"
    case .system(let code): String(cString: strerror(code))
    }
  }
}
