internal import Platform
internal import FoundationEssentials
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Signals

/// The reply to a request to the API.
enum APIReply: Sendable {
  case response(Response)
  case problem(ProblemDetails)
}

/// A request that is answered without the store.
struct APIError: Error {
  let problem: ProblemDetails

  init(_ problem: ProblemDetails) {
    self.problem = problem
  }
}

/// The answers of the store.
struct APIResponder: Sendable {
  private let unavailable: ProblemDetails

  init(_ dependencies: OperatorDependencies) {
    unavailable = dependencies.shared.unavailable
  }

  /// Responds with the value of the store, with the problem of the request, or with 503.
  func respond(
    _ exchange: Exchange, _ reply: (Request) throws(APIError) -> Signal<APIReply, StoreError>
  ) {
    do throws(APIError) {
      try reply(exchange.request).subscribe(
        next: { reply in
          switch reply {
          case .response(let response): exchange.respond(response)
          case .problem(let problem): exchange.respond(problem)
          }
        },
        failed: { [unavailable] _ in exchange.respond(unavailable) }
      )
    } catch {
      exchange.respond(error.problem)
    }
  }
}

extension Request {
  /// Decodes a body of JSON; members that are not known are ignored.
  func decode<Value: Decodable>(_ type: Value.Type) throws(APIError) -> Value {
    guard hasContent(of: "application/json") else {
      throw APIError(.unsupportedMediaType(accepting: "application/json"))
    }
    do {
      return try JSONDecoder().decode(type, from: Data(body))
    } catch DecodingError.dataCorrupted {
      throw APIError(BodyError.malformed(.notJSON).problem)
    } catch DecodingError.keyNotFound(let key, _) {
      throw APIError(.invalidParameter(key.stringValue))
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context)
    {
      throw APIError(
        context.codingPath.first.map { .invalidParameter($0.stringValue) }
          ?? BodyError.malformed(.notObject).problem
      )
    } catch {
      throw APIError(BodyError.malformed(.notJSON).problem)
    }
  }
}

extension Request {
  /// Reads a parameter of the query; `nil` if it is not sent.
  func parameter<Value>(_ name: String, _ parse: (String) -> Value?) throws(APIError) -> Value? {
    guard let sent = query.first(HTTPField.Name(literal: name)) else { return nil }
    let text = sent.replacing("+", with: " ").percentDecoded
    guard let value = text.flatMap(parse) else { throw APIError(.invalidParameter(name)) }
    return value
  }

  /// Reads the number of entries that a client asks for.
  func limit(in limits: ClosedRange<Int>) throws(APIError) -> Int? {
    try parameter("limit") { Int($0).flatMap { limits.contains($0) ? $0 : nil } }
  }
}

extension RoutedExchange {
  /// The id in the path.
  func subscriberID() throws(APIError) -> Int64 {
    guard let id = self["id"].flatMap({ Int64($0) }), (1...1 << 62).contains(id) else {
      throw APIError(.notFound)
    }
    return id
  }
}
