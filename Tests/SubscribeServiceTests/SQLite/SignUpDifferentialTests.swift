import EmailAddresses
import HTTPSignals
import HTTPTypes
import MailingList
import Security
import Signals
import Services
import TestSupport
import Testing

@testable import SQLiteStorage

/// The ways in which clients send a sign-up.
enum SignUpClient: String, Sendable, CaseIterable {
  case json, form, browser, asynchronous, asynchronousBrowser

  /// Makes the request that signs an address up.
  func request(for address: String) -> Request {
    let json = "{\"email\":\"\(address)\"}"
    let form = "email=\(address)&locale=de"
    let html: KeyValuePairs = ["Accept": DoubleOptInService.browser]
    return switch self {
    case .json: .post(Array(json.utf8), as: "application/json")
    case .form: .post(Array(form.utf8), as: "application/x-www-form-urlencoded")
    case .browser:
      .post(Array(form.utf8), as: "application/x-www-form-urlencoded", fields: html)
    case .asynchronous:
      .post(Array(json.utf8), as: "application/json", prefer: "respond-async")
    case .asynchronousBrowser:
      .post(
        Array(form.utf8), as: "application/x-www-form-urlencoded", prefer: "respond-async",
        fields: html)
    }
  }
}

/// A sign-up reveals nothing about its address: neither to the client, nor by what SQLite does for
/// it, except for a page of an index (docs/decisions/0003).
@Suite struct SignUpDifferentialTests {
  @Test(arguments: SignUpClient.allCases)
  func `response, events, snapshot and page of a sign-up are equal in every list state and budget`(
    client: SignUpClient
  ) async throws {
    try await withSQLiteService { service, clock in
      var status = try service.get("/status").stream()
      _ = status.read()
      var expected: [String]?
      for sent in [0, 250, 500] {
        try service.useBudgets(sent: sent, at: clock.now)
        for (number, state) in StoredState.allCases.enumerated() {
          let address = "person\(sent + number)@example.org"
          try await state.prepare(address, in: service.store.base, at: clock.now)
          let transcript = try transcript(of: address, from: client, service, &status)
          expected = expected ?? transcript
          #expect(transcript == expected, "\(state), \(sent) sent")
        }
      }
      #expect(try #require(expected).contains { $0.contains("Thanks") })
    }
  }

  /// Signs an address up, and returns everything that its client can see.
  private func transcript(
    of address: String, from client: SignUpClient, _ service: SQLiteService,
    _ status: inout StreamReader
  ) throws -> [String] {
    _ = service.store.takeCalls()
    var lines = try openResponses(of: service)
    let response = service.service.send(client.request(for: address))
    let location = try #require(response["Location"])
    let id = try #require(location.split(separator: "/").last.map(String.init))
    try #require(ExecutionID(id) != nil)
    lines += response.lines(replacing: id)
    lines += status.read().map { "\($0.name): \($0.data)".replacing(id, with: "ID") }
    for path in ["/executions/\(id)", "/thanks/\(id)"] {
      for isBrowser in [false, true] {
        lines += service.get(path, isBrowser: isBrowser).lines(replacing: id)
      }
    }
    for until in [nil, "confirmed"] {
      let response = service.get("/executions/\(id)/events", until: until)
      var stream = try response.stream()
      lines += response.lines(replacing: id)
      lines += stream.read().map { "\($0.id) \($0.name): \($0.data)".replacing(id, with: "ID") }
      lines.append("finished: \(stream.isFinished)")
    }
    lines += try openResponses(of: service)
    return lines + service.store.takeCalls()
  }

  /// Requests what the service tells anyone about itself.
  private func openResponses(of service: SQLiteService) throws -> [String] {
    var lines: [String] = []
    for (path, status) in [("/readyz", 200), ("/livez", 200), ("/metrics", 401)] {
      let response = service.getAsOperator(path)
      #expect(response.status == status)
      lines += response.lines(replacing: path)
    }
    for path in ["/readyz", "/livez", "/commands/subscribe", "/metrics", "/status"] {
      for isBrowser in [false, true] {
        let response = service.get(path, isBrowser: isBrowser)
        lines += response.lines(replacing: path)
        guard path == "/status" else { continue }
        var stream = try response.stream()
        lines += stream.read().map { "\($0)" }
      }
    }
    return lines
  }

  @Test(arguments: SignUpClient.allCases)
  func `a sign-up runs the same statements and writes as many rows in every list state`(
    client: SignUpClient
  ) async throws {
    try await withSQLiteService { service, clock in
      var works: [StoredState: WriterWork] = [:]
      for (number, state) in StoredState.allCases.enumerated() {
        let address = "person\(number)@example.org"
        try await state.prepare(address, in: service.store.base, at: clock.now)
        let (response, work) = service.trace.work {
          service.service.send(client.request(for: address))
        }
        #expect((200..<400).contains(response.status))
        #expect(
          work.outline == [
            "BEGIN IMMEDIATE", "SELECT", "SELECT",
            state.isListed ? "UPDATE subscribers" : "INSERT INTO subscribers",
            "INSERT INTO consents", "INSERT INTO events", "INSERT INTO outbox", "COMMIT",
          ],
          "\(state)"
        )
        #expect(work.rows == 4, "\(state)")
        // The states differ in what they lead to.
        #expect(try service.queuedMails(to: address) == [state.mail], "\(state)")
        works[state] = work
      }
      for isListed in [false, true] {
        let states = StoredState.allCases.filter { $0.isListed == isListed }
        #expect(Set(states.map { works[$0]?.statements }).count == 1)
      }
    }
  }

  @Test func `a new address writes one page more than a listed one, of the index of addresses`()
    async throws
  {
    try await withSQLiteService { service, clock in
      // Some sign-ups split a page, which costs more pages: the lower quartile leaves them out.
      let count = 15
      func address(_ state: StoredState, _ number: Int) -> String {
        "\(state.rawValue).\(number)@example.org"
      }
      for state in StoredState.allCases {
        for number in 0..<count {
          let address = address(state, number)
          try await state.prepare(address, in: service.store.base, at: clock.now)
        }
      }
      var pages: [StoredState: [Int]] = [:]
      for number in 0..<count {
        for state in StoredState.allCases {
          clock.advance(milliseconds: 1)
          let address = address(state, number)
          let (response, work) = service.trace.work {
            service.service.send(SignUpClient.json.request(for: address))
          }
          #expect(response.status == 202)
          pages[state, default: []].append(work.pages)
        }
      }
      for state in StoredState.allCases {
        let sorted = try #require(pages[state]).sorted()
        // The trees of subscribers, consents, consents by subscriber, events, and mails.
        #expect(sorted[count / 4] == (state.isListed ? 5 : 6), "\(state): \(sorted)")
      }
    }
  }
}
