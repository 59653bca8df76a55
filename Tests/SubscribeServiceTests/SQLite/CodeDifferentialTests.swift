import EmailAddresses
import HTTPSignals
import MailingList
import Security
import Signals
import Services
import TestSupport
import Testing

@testable import SQLiteStorage

/// A code that is typed reveals nothing about an address either, nor does a new link.
@Suite struct CodeDifferentialTests {
  @Test(arguments: [false, true])
  func `a code has the same response, statements and rows in every list state`(
    isMailSent: Bool
  ) async throws {
    try await withSQLiteService { service, clock in
      var executions: [StoredState: [String]] = [:]
      for state in StoredState.allCases {
        try await state.prepare(state.address, in: service.store.base, at: clock.now)
      }
      for state in StoredState.allCases {
        for _ in 0..<4 {
          let response = service.post("/subscribers", "email=\(state.address)")
          executions[state, default: []].append(try #require(response.id))
        }
      }
      clock.advance(seconds: 1)
      let codes = isMailSent ? try await codes(of: service) : [:]
      let confirming = StoredState.allCases.filter { $0.mail == .confirm }
      #expect(Set(codes.keys) == (isMailSent ? Set(confirming) : []))
      let wrong = try #require(
        (0..<1000).lazy.map { "\(100_000 + $0)" }.first { !codes.values.contains($0) })

      var transcripts: [StoredState: [String]] = [:]
      for state in StoredState.allCases {
        for (number, id) in (executions[state] ?? []).enumerated() {
          // More than five codes have been tried before the last execution: even the right one, where
          // there is one, is wrong then.
          let code = number == 3 ? codes[state] ?? wrong : wrong
          // The sixth code of an execution is not compared.
          for attempt in 0..<6 {
            transcripts[state, default: []] += transcript(
              of: code, for: id, isBrowser: attempt.isMultiple(of: 2), service)
          }
        }
      }
      let expected = try #require(transcripts[StoredState.unknown])
      #expect(expected.count { $0 == "1 rows" } == 20)
      #expect(expected.count { $0 == "0 rows" } == 4)
      #expect(!expected.contains("200"))
      for state in StoredState.allCases { #expect(transcripts[state] == expected, "\(state)") }
    }
  }

  /// Types a code, and returns the response and what the store did.
  private func transcript(
    of code: String, for id: String, isBrowser: Bool, _ service: SQLiteService
  ) -> [String] {
    _ = service.store.takeCalls()
    let (response, work) = service.trace.work {
      service.post("/executions/\(id)/code", "code=\(code)", isBrowser: isBrowser)
    }
    // A page contains the code that was typed.
    let lines = response.lines(replacing: id).map { $0.replacing(code, with: "CODE") }
    return lines + service.store.takeCalls() + work.statements + ["\(work.rows) rows"]
  }

  /// Sends all mails that wait, and returns the codes in them.
  private func codes(of service: SQLiteService) async throws -> [StoredState: String] {
    var codes: [StoredState: String] = [:]
    for mail in try await service.claimMails() where mail.kind == .confirm {
      let state = StoredState.allCases.first { $0.address == mail.recipient.normalized }
      codes[try #require(state)] = service.keys.code(ofMail: mail.id.bytes).digits
    }
    return codes
  }

  @Test func `a new link has the same response, statements and rows in every list state`()
    async throws
  {
    try await withSQLiteService { service, clock in
      var transcripts: [StoredState: [String]] = [:]
      for (number, state) in StoredState.allCases.enumerated() {
        let address = "person\(number)@example.org"
        try await state.prepare(address, in: service.store.base, at: clock.now)
        #expect(service.post("/subscribers", "email=\(address)").status == 202)
        let mail = [UInt8](repeating: UInt8(number), count: 22)
        let token = service.keys.token(.confirm, ofMail: mail)
        try addExpired(token, to: address, in: service)
        for isBrowser in [false, true] {
          // Each link requests a new one once in ten minutes.
          clock.advance(seconds: 600)
          _ = service.store.takeCalls()
          let (response, work) = service.trace.work {
            service.post("/confirm/\(token.text)/mail", isBrowser: isBrowser)
          }
          #expect(response.status == 200)
          #expect(
            work.outline == [
              "BEGIN IMMEDIATE", "SELECT", "UPDATE subscribers", "UPDATE tokens",
              "INSERT INTO consents", "INSERT INTO events", "INSERT INTO outbox", "COMMIT",
            ]
          )
          #expect(work.rows == 5)
          transcripts[state, default: []] += response.lines(replacing: token.text)
          transcripts[state, default: []] += service.store.takeCalls() + work.statements
        }
      }
      let expected = try #require(transcripts[StoredState.unknown])
      for state in StoredState.allCases { #expect(transcripts[state] == expected, "\(state)") }
    }
  }

  /// Stores a link that was valid until a month ago.
  private func addExpired(_ token: MailToken, to address: String, in service: SQLiteService) throws
  {
    let key = try EmailAddress.sample(address).key
    let now = service.now().millisecondsSince1970
    try service.store.base.withConnection { db in
      try db.execute(
        """
        INSERT INTO tokens(
          hash, purpose, subscriber_id, consent_id, made_at, expires_at, message_id, wording
        ) SELECT \(token.hash.sql), 0, s.id, c.id, \(now - 37 * 86_400_000),
            \(now - 30 * 86_400_000), 'mail@example.org', x'00'
          FROM subscribers s JOIN consents c ON c.subscriber_id = s.id
          WHERE s.address_key = '\(key)' LIMIT 1
        """
      )
      #expect(db.changesCount == 1)
    }
  }
}

extension StoredState {
  /// An address for this state.
  fileprivate var address: String { "\(rawValue.lowercased())@example.org" }
}
