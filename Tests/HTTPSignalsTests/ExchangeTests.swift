import Dispatch
import HTTPSignals
import HTTPTypes
import Signals
import TestSupport
import Testing

/// The single response of an exchange.
@Suite struct ExchangeTests {
  private let responses = RecordedResponses()

  @Test func `an exchange sends its response to the client`() {
    let exchange = responses.exchange()
    exchange.respond(Response(status: .noContent))
    #expect(responses.statuses == [204])
  }

  @Test func `an exchange drops every response after the first`() {
    let exchange = responses.exchange()
    exchange.respond(Response(status: .ok))
    exchange.respond(Response(status: .accepted))
    exchange.respond(.notFound)
    #expect(responses.statuses == [200])
  }

  @Test func `only one of many concurrent responses wins`() {
    for count in 1...200 {
      let exchange = responses.exchange()
      DispatchQueue.concurrentPerform(iterations: 8) { number in
        exchange.respond(Response(status: .init(code: 200 + number)))
      }
      #expect(responses.all.count == count)
    }
  }

  @Test func `an exchange released without a response sends 500`() throws {
    _ = responses.exchange()
    #expect(responses.statuses == [500])
    let response = try #require(responses.all.first)
    #expect(response.fields[.contentType] == "application/problem+json")
    #expect(response.text.contains(#""type":"/problems/internal""#))
  }

  @Test func `releasing an exchange after its response sends nothing more`() {
    responses.exchange().respond(.notFound)
    #expect(responses.statuses == [404])
  }

  @Test func `the policy completes each response that is sent, and no other`() {
    let policy = CountingPolicy()
    let sent = Lock<[Response]>([])
    func exchange() -> Exchange {
      Exchange(Request(method: .get, path: "/"), policy: policy) { response in
        sent.withLock { $0.append(response) }
      }
    }
    let first = exchange()
    first.respond(Response(status: .ok))
    first.respond(Response(status: .accepted))
    first.respond(.notFound)
    exchange().respond(.notFound)
    _ = exchange()
    #expect(sent.withLock { $0.map(\.status.code) } == [200, 404, 500])
    #expect(sent.withLock { $0.map { $0.fields[.vary] } } == ["1", "2", "3"])
    #expect(policy.count.withLock { $0 } == 3)
  }

  @Test func `a problem names the path of its request`() throws {
    responses.exchange(Request(method: .get, path: "/a/b_1.x-~")).respond(.notFound)
    let response = try #require(responses.all.first)
    #expect(response.text.contains(#""instance":"/a/b_1.x-~""#))
  }

  @Test(
    arguments: [
      "/ana@example.org", "/ana%40example.org", "/\u{FFFD}", "/a\"b", "http://example.org/", "/a b",
      "*",
    ]
  )
  func `a problem omits a path that may contain an email address`(path: String) throws {
    responses.exchange(Request(method: .get, path: path)).respond(.notFound)
    #expect(!(try #require(responses.all.first).text.contains("instance")))
  }
}

/// A policy that numbers the responses that it completes.
private final class CountingPolicy: ResponsePolicy {
  let count = Lock(0)

  var draining: ProblemDetails { TestResponsePolicy().draining }

  func response(for problem: ProblemDetails, to request: Request?) -> Response {
    TestResponsePolicy().response(for: problem, to: request)
  }

  func finish(_ response: inout Response, to request: Request) {
    let number = count.withLock { count in
      count += 1
      return count
    }
    response.fields.append(.vary, "\(number)")
  }
}
