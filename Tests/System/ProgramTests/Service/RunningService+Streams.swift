import TestSupport
import Testing

extension RunningService {
  /// Opens a stream, and reads its head and preamble; a client misses no event after that.
  ///
  /// - Parameters:
  ///   - path: The path of the stream.
  ///   - lastEventID: The value of `Last-Event-ID`.
  /// - Returns: The client, positioned before the first event.
  /// - Throws: `TestSystemError`, or an error if the response is not a stream.
  func stream(_ path: String = "/status", after lastEventID: String? = nil) throws -> SocketClient {
    let client = try connect()
    try client.request("GET", path, fields: lastEventID.map { ["Last-Event-ID: \($0)"] } ?? [])
    try #require(try client.readHead().status == 200)
    try #require(try client.readEventLine()?.hasPrefix("retry: ") == true)
    try #require(try client.readEventLine() == ": ok")
    return client
  }
}

extension TestResponse {
  /// The id of the accepted execution.
  func execution() throws -> String {
    let location = try #require(self["Location"])
    try #require(location.hasPrefix("/executions/"))
    return String(location.dropFirst("/executions/".count))
  }
}
