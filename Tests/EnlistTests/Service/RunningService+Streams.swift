import TestSupport
import Testing

extension RunningService {
  /// Opens a stream, and reads its head and preamble: whoever has those misses nothing afterwards.
  ///
  /// - Parameters:
  ///   - path: Which stream.
  ///   - lastEventID: What the client says that it has seen.
  /// - Returns: The client, in front of the first event.
  /// - Throws: `TestSystemError`, or that it is no stream.
  func stream(_ path: String = "/status", after lastEventID: String? = nil) throws -> SocketClient {
    let client = try connect()
    try client.request("GET", path, fields: lastEventID.map { ["Last-Event-ID: \($0)"] } ?? [])
    try #require(try client.readHead().status == 200)
    try #require(try client.readEventLine()?.hasPrefix("retry: ") == true)
    try #require(try client.readEventLine() == ": ok")
    return client
  }

  /// Sends a sign-up and does not wait for the answer.
  ///
  /// - Parameters:
  ///   - address: Whose.
  ///   - client: A connection to it.
  /// - Throws: `TestSystemError`.
  func send(_ address: String, on client: SocketClient) throws(TestSystemError) {
    try client.request(
      "POST",
      "/subscribers",
      fields: ["Content-Type: application/json"],
      body: #"{"email":"\#(address)"}"#
    )
  }
}

extension TestResponse {
  /// The id of the execution that was accepted.
  func execution() throws -> String {
    let location = try #require(self["Location"])
    try #require(location.hasPrefix("/executions/"))
    return String(location.dropFirst("/executions/".count))
  }
}
