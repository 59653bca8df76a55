import TestSupport

extension SocketClient {
  /// Sends a sign-up as JSON without waiting for the response.
  ///
  /// - Parameters:
  ///   - address: The address, which needs no escapes.
  ///   - fields: Additional header fields, as lines without line ends.
  /// - Throws: `TestSystemError`.
  func sendSignUp(of address: String, fields: [String] = []) throws(TestSystemError) {
    try request(
      "POST", "/subscribers", fields: ["Content-Type: application/json"] + fields,
      body: #"{"email":"\#(address)"}"#)
  }
}
