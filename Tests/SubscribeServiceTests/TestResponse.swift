import HTTPSignals
import HTTPTypes
import Signals
import Testing

/// The response to a request, once it has arrived.
///
/// Its release ends its event stream, as a client does that disconnects.
final class TestResponse: Sendable {
  private let responses = Lock<[Response]>([])

  deinit {
    if case .events(let stream) = response?.body { stream.source?.dispose() }
  }

  /// Makes an exchange whose response is recorded here.
  func exchange(for request: Request, policy: any ResponsePolicy) -> Exchange {
    Exchange(request, policy: policy) { response in
      self.responses.withLock { $0.append(response) }
    }
  }

  /// The response; `nil` until it arrives.
  var response: Response? { responses.withLock { $0.first } }

  /// The status; 0 until the response arrives.
  var status: Int { response?.status.code ?? 0 }

  /// The content as text.
  var text: String {
    guard case .bytes(let bytes) = response?.body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The content, with the execution's id replaced.
  var textWithoutID: String { without(text) }

  /// The sorted header fields, with the execution's id replaced.
  var fieldsWithoutID: [String] {
    (response?.fields.pairs ?? []).map { "\($0.lowercased()): \(without($1))" }.sorted()
  }

  private func without(_ text: String) -> String {
    id.map { text.split(separator: $0, omittingEmptySubsequences: false).joined(separator: "ID") }
      ?? text
  }

  /// A header field.
  subscript(name: String) -> String? {
    HTTPField.Name(name).flatMap { response?.fields[$0] }
  }

  /// The id of the execution, from `Location`.
  var id: String? { self["location"].map { String($0.dropFirst("/executions/".count)) } }

  /// The last part of the problem's type; `nil` if the response is not a problem.
  var problem: String? {
    guard self["content-type"] == "application/problem+json" else { return nil }
    let type = text.split(separator: "\"type\":\"/problems/", maxSplits: 1).last
    return type?.split(separator: "\"").first.map(String.init)
  }

  /// The code of the problem's first error.
  var code: String? {
    text.split(separator: "\"code\":\"", maxSplits: 1).dropFirst().first?
      .split(separator: "\"").first.map(String.init)
  }

  /// Returns a reader of the event stream that is the content.
  func stream() throws -> StreamReader {
    guard case .events(let stream) = response?.body else { throw NoStream() }
    return StreamReader(stream, of: self)
  }

  struct NoStream: Error {}
}

/// A reader that reads an event stream like a connection does.
struct StreamReader {
  /// One event as a client sees it.
  struct Event: Equatable {
    var id: String
    var name: String
    var data: String

    /// The epoch and the position in the id.
    var epoch: String { String(id.prefix { $0 != "-" }) }
    var position: Int? { Int(id.drop { $0 != "-" }.dropFirst()) }

    /// The value of a string member of the data.
    subscript(member: String) -> String? {
      data.split(separator: "\"\(member)\":\"", maxSplits: 1).dropFirst().first?
        .split(separator: "\"", omittingEmptySubsequences: false).first.map(String.init)
    }
  }

  private let stream: EventStream
  /// The response, which ends the stream when it is released.
  private let response: TestResponse
  private var opening: [UInt8]
  private var position: UInt64
  /// Whether all events have been read and the log has ended.
  private(set) var isFinished = false

  init(_ stream: EventStream, of response: TestResponse) {
    self.stream = stream
    self.response = response
    opening = stream.opening
    position = stream.position
  }

  /// Reads the events that have been sent since the last call.
  mutating func read() -> [Event] {
    var text = String(decoding: opening, as: UTF8.self)
    opening = []
    while true {
      switch stream.log.read(from: position, atMost: 1024) {
      case .blocks(let blocks, let next):
        text += String(decoding: blocks, as: UTF8.self)
        position = next
      case .finished:
        isFinished = true
        return Self.events(text)
      case .upToDate, .outside: return Self.events(text)
      }
    }
  }

  /// Parses blocks; each must have exactly an id, a name and one line of data.
  private static func events(_ text: String) -> [Event] {
    text.split(separator: "\n\n").map { block in
      let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
      guard
        lines.count == 3, lines[0].hasPrefix("id: "), lines[1].hasPrefix("event: "),
        lines[2].hasPrefix("data: ")
      else { return Event(id: "", name: "malformed", data: String(block)) }
      return Event(
        id: String(lines[0].dropFirst(4)), name: String(lines[1].dropFirst(7)),
        data: String(lines[2].dropFirst(6)))
    }
  }
}
