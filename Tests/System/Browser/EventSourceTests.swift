import TestSupport
import Testing

/// Tests of the event streams with a browser's EventSource.
@Suite(.serialized, .needsBrowser)
struct EventSourceTests {
  /// Opens a page of the service whose EventSource `source` records its events in `seen`.
  private func openSource(_ path: String, of service: Enlist) throws -> Browser {
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
    try browser.wait(for: "source.readyState === EventSource.\(state)", true)
  }

  @Test func `a browser that reconnects resumes after the last event it received`() throws {
    let service = try Enlist(["--stream-lifetime", "1s..1s"])
    let browser = try openSource("/status", of: service)
    try waitForState("OPEN", browser)
    try service.signUp("ana@example.org").expect(202)
    try browser.wait(for: "seen.length", 2)
    // The stream has reached its lifetime; Last-Event-ID recovers the events until the reconnect.
    try waitForState("CONNECTING", browser)
    try service.signUp("ben@example.org").expect(202)
    try browser.wait(for: "seen.length >= 4", true)
    let seen = try #require(try browser.evaluate("return seen") as? [String])
    let epoch = try #require(seen.first?.prefix { $0 != "-" })
    #expect(
      seen == ["1 started", "2 completed", "3 started", "4 completed"].map { "\(epoch)-\($0)" })
  }

  @Test func `a browser that reconnects after the last event gets 204`() throws {
    let service = try Enlist()
    let id = try service.signUp("ana@example.org").expect(202).execution
    let browser = try openSource("/executions/\(id)/events", of: service)
    // The stream ends after its last event; the browser reconnects with its id and gets 204.
    try waitForState("CLOSED", browser)
    try browser.expect("seen.map(event => event.split(' ')[1])", ["started", "completed"])
  }

  @Test func `a page can ask to see that its stream is alive`() throws {
    let service = try Enlist(["--heartbeat", "20ms"])
    let browser = try openSource("/status?ping=1", of: service)
    try browser.evaluate(
      "source.addEventListener('ping', event => seen.push(event.lastEventId + event.data))")
    try browser.wait(for: "seen.length >= 3 && seen.every(text => text === '{}')", true)
  }
}
