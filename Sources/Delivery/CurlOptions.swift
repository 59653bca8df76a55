internal import CCurl

/// The options of an easy handle of libcurl.
protocol CurlOptions: AnyObject {
  var handle: UnsafeMutableRawPointer { get }
  /// Whether setting an option failed, so that a transfer might, for example, not be encrypted.
  var lacksOption: Bool { get set }
}

extension CurlOptions {
  func set(_ option: CURLoption, _ value: Int) {
    check(ccurl_set_long(handle, option, value))
  }

  func set(_ option: CURLoption, _ value: String?) {
    check(ccurl_set_string(handle, option, value))
  }

  func check(_ code: CURLcode) {
    if code != CURLE_OK { lacksOption = true }
  }
}
