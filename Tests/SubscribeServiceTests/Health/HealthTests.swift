import TestSupport
import HTTPSignals
import HTTPTypes
import MailingList
import Signals
import Testing

/// `GET /livez`, `GET /readyz`, `GET /commands/subscribe`, and what is nowhere.
@Suite struct HealthTests {
  private let service = ServiceUnderTest()

  @Test func `lives, whatever its store does`() {
    service.store.memory.failure = .damaged
    service.commands.isEnabled.value = false
    let answer = service.get("/livez")
    #expect(answer.status == 200)
    #expect(answer.text == #"{"status":"alive"}"#)
  }

  @Test func `is ready while its store can store`() {
    #expect(service.get("/readyz").text == #"{"status":"ready"}"#)
    service.store.memory.failure = .full
    let answer = service.get("/readyz")
    #expect(answer.status == 503)
    #expect(answer.problem == "storage-unavailable")
    #expect(answer["Retry-After"] != nil)
    service.store.memory.failure = nil
    #expect(service.get("/readyz").status == 200)
  }

  @Test func `is not ready when it is about to stop`() {
    service.commands.isEnabled.value = false
    let answer = service.get("/readyz")
    #expect(answer.status == 503)
    #expect(answer.problem == "command-disabled")
  }

  @Test func `counts what is in flight over all addresses`() {
    func state(_ enabled: Bool, _ executing: Int) -> String {
      #"{"enabled":\#(enabled),"executing":\#(executing),"allowsConcurrentExecution":false}"#
    }
    let path = "/commands/subscribe"
    #expect(service.get(path).text == state(true, 0))
    let release = ReplaySubject<Void, Never>()
    service.store.hold(until: release)
    for number in 1...5 {
      service.signUp("person\(number)@example.org")
      service.signUp("person\(number)@example.org")
      service.signUp("person\(number)")
      #expect(service.get(path).text == state(true, number))
    }
    service.commands.isEnabled.value = false
    service.signUp("late@example.org")
    #expect(service.get(path).text == state(false, 5))
    release.complete()
    #expect(service.get(path).text == state(false, 0))
  }

  @Test(
    arguments: [
      (.get, "/subscribers", "POST, OPTIONS"), (.delete, "/status", "GET, OPTIONS, HEAD"),
      (.post, "/executions/1", "GET, OPTIONS, HEAD"), (.put, "/livez", "GET, HEAD"),
    ] as [(HTTPRequest.Method, String, String)]
  )
  func `says which methods a path knows`(method: HTTPRequest.Method, path: String, allow: String) {
    let answer = service.send(Request(method: method, path: path))
    #expect(answer.status == 405)
    #expect(answer.problem == "method-not-allowed")
    #expect(answer["Allow"] == allow)
  }

  @Test(arguments: ["/favicon.ico", "/subscribers/ada@example.org", "/executions", "/commands"])
  func `has nothing at other paths, and repeats no address`(path: String) {
    let answer = service.get(path)
    #expect(answer.status == 404)
    #expect(answer.problem == "not-found")
    #expect(!answer.text.contains("@"))
  }

  @Test(arguments: ["/livez", "/readyz", "/status", "/commands/subscribe"])
  func `takes HEAD where it takes GET`(path: String) {
    let answer = service.send(Request(method: .head, path: path))
    #expect(answer.status == 200)
    #expect(answer.fieldsWithoutID == service.get(path).fieldsWithoutID)
  }
}
