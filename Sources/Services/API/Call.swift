internal import FoundationEssentials
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Platform
internal import Signals

/// A request to the API, and who has sent it.
struct Call: Sendable {
  let routed: RoutedExchange
  let actor: EventActor

  var request: Request { routed.exchange.request }

  /// The text of the id in the path.
  var id: String { String(routed["id"] ?? "") }

  /// The subscriber in the path.
  func subscriberID() throws(ProblemDetails) -> Int64 {
    guard let id = Int64(id), (1...1 << 62).contains(id) else { throw .notFound }
    return id
  }
}

extension Operator {
  /// Responds to a call with the reply of its handler, or with the problem that it throws.
  func respond(
    to call: Call, by reply: (Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails>
  ) {
    let exchange = call.routed.exchange
    do throws(ProblemDetails) {
      try exchange.respond(with: reply(call))
    } catch {
      exchange.respond(error)
    }
  }

  /// Reads the list; any failure of the store becomes 503.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, ProblemDetails> {
    available(list.read(body))
  }

  /// Changes the list; any failure of the store becomes 503.
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (ListWriter) throws(StoreError) -> Value
  ) -> Signal<Value, ProblemDetails> {
    available(list.change(body))
  }

  func available<Value>(_ signal: Signal<Value, StoreError>) -> Signal<Value, ProblemDetails> {
    signal.mapError { _ in .storageUnavailable }
  }
}

extension Request {
  /// Decodes a body of JSON; members that are not known are ignored.
  func decode<Value: Decodable>(_ type: Value.Type) throws(ProblemDetails) -> Value {
    guard hasContent(of: "application/json") else {
      throw .unsupportedMediaType(accepting: "application/json")
    }
    do {
      return try JSONDecoder().decode(type, from: Data(body))
    } catch DecodingError.keyNotFound(let key, _) {
      throw .invalidParameter(key.stringValue)
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context)
    {
      throw context.codingPath.first.map { .invalidParameter($0.stringValue) }
        ?? BodyError.malformed(.notObject).problem
    } catch {
      throw BodyError.malformed(.notJSON).problem
    }
  }

  /// Reads a parameter of the query; `nil` if it is not sent.
  func parameter<Value>(
    _ name: String, _ parse: (String) -> Value?
  ) throws(ProblemDetails) -> Value? {
    guard let sent = query.first(HTTPField.Name(literal: name)) else { return nil }
    let text = sent.replacing("+", with: " ").percentDecoded
    guard let value = text.flatMap(parse) else { throw .invalidParameter(name) }
    return value
  }

  /// Reads the number of entries that a client asks for.
  func limit(in limits: ClosedRange<Int>) throws(ProblemDetails) -> Int? {
    try parameter("limit") { Int($0).flatMap { limits.contains($0) ? $0 : nil } }
  }
}
