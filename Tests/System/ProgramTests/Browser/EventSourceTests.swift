import Foundation
import TestSupport
import Testing

/// Tests of the event streams with a browser's EventSource.
@Suite(
  .serialized,
  .needsBrowser)
struct EventSourceTests {
  /// Opens a page of the service whose EventSource `source` records its events in `seen`.
  private func openSource(_ path: String, of service: RunningService) throws -> Browser {
    let browser = try Browser()
    try browser.open("http://127.0.0.1:\(service.port)/")
    try browser.evaluate(
      """
      window.seen = []
      window.source = new EventSource('\(path)')
      for (const name of ['started', 'completed', 'failed'])
        source.addEventListener(name, event => seen.push(event.lastEventId + ' ' + name))
      """
    )
    return browser
  }

  private func waitForState(_ state: String, _ browser: Browser) throws {
    try browser.until("the source is \(state)") {
      try browser.evaluate("return source.readyState === EventSource.\(state)") as? Bool == true
    }
  }

  @Test func `a browser that reconnects resumes after the last event it received`() throws {
    let service = try RunningService(["--stream-lifetime", "1s..1s"])
    let browser = try openSource("/status", of: service)
    try waitForState("OPEN", browser)
    #expect(try service.signUp("ana@example.org").status == 202)
    try browser.until("both events are seen") {
      try browser.evaluate("return seen.length") as? Int == 2
    }
    // The stream has reached its lifetime; Last-Event-ID recovers the events until the reconnect.
    try waitForState("CONNECTING", browser)
    #expect(try service.signUp("ben@example.org").status == 202)
    try browser.until("what it missed is seen") {
      try browser.evaluate("return seen.length") as? Int ?? 0 >= 4
    }
    let seen = try #require(try browser.evaluate("return seen") as? [String])
    let epoch = try #require(seen.first?.prefix { $0 != "-" })
    #expect(
      seen == ["1 started", "2 completed", "3 started", "4 completed"].map { "\(epoch)-\($0)" })
    browser.close()
  }

  @Test func `a browser that reconnects after the last event gets 204`() throws {
    let service = try RunningService()
    let location = try #require(try service.signUp("ana@example.org")["Location"])
    let browser = try openSource("\(location)/events", of: service)
    // The stream ends after its last event; the browser reconnects with its id and gets 204.
    try waitForState("CLOSED", browser)
    let seen = try browser.evaluate("return seen") as? [String]
    #expect(seen?.map { $0.split(separator: " ").last } == ["started", "completed"])
    browser.close()
  }
}
