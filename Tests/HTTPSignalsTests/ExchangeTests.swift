import Dispatch
import HTTPSignals
import HTTPTypes
import Locks
import Testing

/// The single response of an exchange.
@Suite struct ExchangeTests {
  private let responses = RecordedResponses()

  @Test func `an exchange sends its response to the client`() {
    let exchange = responses.exchange()
    #expect(exchange.respond(Response(status: .noContent)))
    #expect(responses.statuses == [204])
  }

  @Test func `an exchange drops every response after the first`() {
    let exchange = responses.exchange()
    #expect(exchange.respond(Response(status: .ok)))
    #expect(!exchange.respond(Response(status: .accepted)))
    #expect(!exchange.respond(.notFound))
    #expect(responses.statuses == [200])
  }

  @Test func `only one of many concurrent responses wins`() {
    for _ in 0..<200 {
      let exchange = responses.exchange()
      let winners = Lock(0)
      DispatchQueue.concurrentPerform(iterations: 8) { number in
        let isFirst = exchange.respond(Response(status: .init(code: 200 + number)))
        if isFirst { winners.withLock { $0 += 1 } }
      }
      #expect(winners.withLock { $0 } == 1)
    }
    #expect(responses.all.count == 200)
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
