import HTTPSignals
import HTTPTypes
import Signals
import TestSupport

/// A recorder of the responses of exchanges, used instead of a socket.
final class RecordedResponses: Sendable {
  private let responses = Lock<[Response]>([])

  var all: [Response] { responses.withLock { $0 } }

  var statuses: [Int] { all.map(\.status.code) }

  /// Makes an exchange whose response is recorded.
  func exchange(_ request: Request = Request(method: .get, path: "/")) -> Exchange {
    Exchange(request, policy: TestResponsePolicy()) { response in
      self.responses.withLock { $0.append(response) }
    }
  }
}

extension Response {
  /// The body as text; empty for an event stream.
  var text: String {
    switch body {
    case .none, .events: ""
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    }
  }
}

extension FieldList {
  /// Makes a list from the pairs of a literal.
  init(_ pairs: KeyValuePairs<String, String>) {
    self.init()
    for (name, value) in pairs {
      Array(name.utf8).withUnsafeBytes { name in
        Array(value.utf8).withUnsafeBytes { append(name: name, value: $0) }
      }
    }
  }
}
