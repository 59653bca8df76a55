import HTTPSignals
import HTTPTypes
import Locks

/// Keeps what exchanges are answered with, in the place of a socket.
final class RecordedResponses: Sendable {
  private let responses = Lock<[Response]>([])

  var all: [Response] { responses.withLock { $0 } }

  var statuses: [Int] { all.map(\.status.code) }

  /// An exchange whose answer is kept here.
  func exchange(_ request: Request = Request(method: .get, path: "/")) -> Exchange {
    Exchange(request) { response in self.responses.withLock { $0.append(response) } }
  }
}

extension Response {
  /// The content as text; an event stream has none.
  var text: String {
    switch body {
    case .none, .events: ""
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    }
  }
}

extension FieldList {
  /// Pairs that a test writes down.
  init(_ pairs: KeyValuePairs<String, String>) {
    self.init()
    for (name, value) in pairs {
      Array(name.utf8).withUnsafeBytes { name in
        Array(value.utf8).withUnsafeBytes { append(name: name, value: $0) }
      }
    }
  }
}
