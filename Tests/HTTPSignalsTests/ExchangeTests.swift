import Dispatch
import HTTPSignals
import HTTPTypes
import Locks
import Testing

@Suite struct ExchangeTests {
  private let answers = Answers()

  @Test func `takes its answer to the client`() {
    let exchange = answers.exchange()
    #expect(exchange.respond(Response(status: .noContent)))
    #expect(answers.statuses == [204])
  }

  @Test func `drops every answer but the first`() {
    let exchange = answers.exchange()
    #expect(exchange.respond(Response(status: .ok)))
    #expect(!exchange.respond(Response(status: .accepted)))
    #expect(!exchange.respond(.notFound))
    #expect(answers.statuses == [200])
  }

  @Test func `is answered once, however many threads try`() {
    for _ in 0..<200 {
      let exchange = answers.exchange()
      let winners = Lock(0)
      DispatchQueue.concurrentPerform(iterations: 8) { number in
        let isFirst = exchange.respond(Response(status: .init(code: 200 + number)))
        if isFirst { winners.withLock { $0 += 1 } }
      }
      #expect(winners.withLock { $0 } == 1)
    }
    #expect(answers.all.count == 200)
  }

  @Test func `is answered with 500 when it is let go of`() throws {
    _ = answers.exchange()
    #expect(answers.statuses == [500])
    let answer = try #require(answers.all.first)
    #expect(answer.fields[.contentType] == "application/problem+json")
    #expect(answer.text.contains(#""type":"/problems/internal""#))
  }

  @Test func `is not answered again when it is let go of afterwards`() {
    answers.exchange().respond(.notFound)
    #expect(answers.statuses == [404])
  }

  @Test func `names in a problem the path where it happened`() throws {
    answers.exchange(Request(method: .get, path: "/a/b_1.x-~")).respond(.notFound)
    let answer = try #require(answers.all.first)
    #expect(answer.text.contains(#""instance":"/a/b_1.x-~""#))
  }

  @Test(
    arguments: [
      "/ana@example.org", "/ana%40example.org", "/\u{FFFD}", "/a\"b", "http://example.org/", "/a b",
      "*",
    ]
  )
  func `repeats no path that may hold an address or what breaks a text`(path: String) throws {
    answers.exchange(Request(method: .get, path: path)).respond(.notFound)
    #expect(!(try #require(answers.all.first).text.contains("instance")))
  }
}
