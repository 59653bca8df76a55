import HTTPSignals
import HTTPTypes
import MailingList
import Security
import TestSupport
import Testing

@testable import Services

/// The rules of the board for hosts, origins and cookies.
@Suite struct BoardRequestTests {
  private let url = WebOrigin("https://board.example.org")

  private func request(_ fields: FieldList) -> Request {
    Request(method: .post, path: "/board/session", fields: fields)
  }

  @Test(
    arguments: [
      ("127.0.0.1:8081", true), ("127.0.0.1", true), ("[::1]:8081", true), ("[::1]", true),
      ("localhost:8081", true), ("LOCALHOST", true), ("board.example.org", true),
      ("Board.Example.org:8443", true),
      ("board.example.org.evil.example", false), ("evil.example", false), ("127.1", false),
      ("2130706433", false), ("::1", false), ("localhost.evil.example", false), ("", false),
      ("127.0.0.1:x", false), ("board.example.org:0", false),
    ]
  )
  func `the board has an address, localhost, or the host of the setting`(
    host: String, isAllowed: Bool
  ) {
    #expect(request([.hostField: host]).isForBoard(at: url) == isAllowed)
  }

  @Test func `without the setting no name but localhost is the board's, nor a missing one`() {
    #expect(!request([.hostField: "board.example.org"]).isForBoard(at: nil))
    #expect(!request([:]).isForBoard(at: url))
  }

  @Test(
    arguments: [
      ("127.0.0.1:8081", "http://127.0.0.1:8081", true),
      ("127.0.0.1:8081", "http://127.0.0.1:8080", false),
      ("127.0.0.1:8081", "http://127.0.0.1", false), ("127.0.0.1", "http://127.0.0.1", true),
      ("localhost", "https://localhost", true), ("localhost", "http://127.0.0.1", false),
      ("[::1]:8081", "http://[::1]:8081", true),
      ("127.0.0.1:8081", "https://board.example.org", true),
      ("127.0.0.1:8081", "http://board.example.org", false),
      ("127.0.0.1:8081", "https://board.example.org:8443", false),
      ("127.0.0.1:8081", "null", false), ("127.0.0.1:8081", "", false),
    ]
  )
  func `a form comes from the setting, or from the requested host and port`(
    host: String, origin: String, isAllowed: Bool
  ) {
    let found = request([.hostField: host, .origin: origin]).boardOrigin(at: url)
    #expect((found != nil) == isAllowed)
    #expect(request([.hostField: host]).boardOrigin(at: url) == nil)
  }

  @Test func `a session is found among other cookies, over https only with its prefix`() throws {
    let keyring = Keyring(Secret())
    let now = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    let session = SessionToken(keyID: "7Hq2mXw9", at: now.seconds)
    let text = session.text(keyring)
    for cookies in [
      "enlist_session=\(text)", "a=b; enlist_session=\(text); c", "__Host-enlist_session=\(text)",
      "enlist_session=x; __Host-enlist_session=\(text)",
    ] {
      #expect(request([.cookie: cookies]).session(keyring, at: now) == session, "\(cookies)")
    }
    for cookies in [
      "", "enlist_session", "enlist_session=", "Enlist_session=\(text)", "x_enlist_session=\(text)",
      "enlist_session=\(text)x",
    ] {
      #expect(request([.cookie: cookies]).session(keyring, at: now) == nil, "\(cookies)")
    }
    let secure = SessionCookie(for: try #require(url))
    #expect(
      secure.field("v", seconds: 28_800)
        == "__Host-enlist_session=v; HttpOnly; SameSite=Strict; Path=/; Max-Age=28800; Secure"
    )
    let plain = SessionCookie(for: try #require(WebOrigin("http://localhost:8081")))
    #expect(
      plain.field("", seconds: 0)
        == "enlist_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"
    )
  }
}
