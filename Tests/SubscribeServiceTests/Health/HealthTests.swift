import TestSupport
import HTTPSignals
import HTTPTypes
import MailingList
import Signals
import Services
import Testing

/// `GET /livez`, `GET /readyz`, `GET /commands/subscribe`, and unknown paths.
@Suite struct HealthTests {
  private let service = ServiceUnderTest()

  @Test func `the service is alive even if its store fails`() {
    service.store.failure = .damaged
    service.commands.isEnabled.value = false
    let response = service.get("/livez")
    #expect(response.status == 200)
    #expect(response.text == #"{"status":"alive"}"#)
  }

  @Test func `the service is ready while its store accepts writes`() {
    #expect(service.get("/readyz").text == #"{"status":"ready"}"#)
    service.store.failure = .full
    let response = service.get("/readyz")
    #expect(response.status == 503)
    #expect(response.problem == "storage-unavailable")
    #expect(response["Retry-After"] != nil)
    service.store.failure = nil
    #expect(service.get("/readyz").status == 200)
  }

  @Test(
    arguments: [
      (.full, "storage"), (.unreachable, "storage"), (.incompatible, "schema"),
    ] as [(StoreError, String)]
  )
  func `a service that cannot store names the part that is not ready`(
    error: StoreError, part: String
  ) {
    service.store.failure = error
    let response = service.get("/readyz")
    #expect(response.status == 503)
    #expect(response.text.contains(#""part":"\#(part)","since":"20"#))
    #expect(!service.signUp().text.contains("part"))
  }

  @Test func `mails that wait change nothing about readiness`() {
    let service = ServiceUnderTest(optIn: .double)
    service.store.mails.failure = .locked
    #expect(service.get("/readyz").text == #"{"status":"ready"}"#)
  }

  @Test func `a draining service is not ready`() {
    service.commands.isEnabled.value = false
    let response = service.get("/readyz")
    #expect(response.status == 503)
    #expect(response.problem == "command-disabled")
    #expect(response.text.contains(#""part":"draining","since":"\#(service.clock.now)""#))
  }

  @Test func `reports the number of executions in flight across all addresses`() {
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
  func `lists the methods of a path when it rejects another one`(
    method: HTTPRequest.Method, path: String, allow: String
  ) {
    let response = service.send(Request(method: method, path: path))
    #expect(response.status == 405)
    #expect(response.problem == "method-not-allowed")
    #expect(response["Allow"] == allow)
  }

  @Test(arguments: ["/favicon.ico", "/subscribers/ada@example.org", "/executions", "/commands"])
  func `responds with 404 at unknown paths without repeating an address`(path: String) {
    let response = service.get(path)
    #expect(response.status == 404)
    #expect(response.problem == "not-found")
    #expect(!response.text.contains("@"))
  }

  @Test(arguments: ["/livez", "/readyz", "/status", "/commands/subscribe"])
  func `supports HEAD wherever it supports GET`(path: String) {
    let response = service.send(Request(method: .head, path: path))
    #expect(response.status == 200)
    #expect(response.fieldsWithoutID == service.get(path).fieldsWithoutID)
  }
}
