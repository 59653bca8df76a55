import Delivery
import Testing

@Suite struct SMTPServerTests {
  @Test(
    arguments: [
      ("smtp://relay.example.com", "relay.example.com", 25), ("smtp://relay/", "relay", 25),
      ("SMTP://relay:2525", "relay", 2525), ("smtps://relay", "relay", 465),
      ("smtp://ada:secret@relay", "relay", 587), ("smtps://ada:secret@relay", "relay", 465),
      ("smtp://192.0.2.1:25", "192.0.2.1", 25), ("smtp://[2001:db8::1]:587", "[2001:db8::1]", 587),
      ("smtp://mail_relay", "mail_relay", 25),
    ] as [(String, String, UInt16)]
  )
  func `parses host and port`(_ url: String, _ host: String, _ port: UInt16) throws {
    let server = try SMTPServer(url: url)
    #expect(server.host == host)
    #expect(server.port == port)
  }

  @Test(
    arguments: [
      ("smtp://ada:secret@relay", "ada", "secret"), ("smtp://ada@relay", "ada", ""),
      ("smtp://a%40b:p%3A%2F%40@relay", "a@b", "p:/@"), ("smtp://ada:p:q@relay", "ada", "p:q"),
      ("smtp://ada:p@q@relay", "ada", "p@q"), ("smtp://j%C3%BCrgen:x@relay", "jürgen", "x"),
    ]
  )
  func `decodes user and password`(_ url: String, _ user: String, _ password: String) throws {
    let server = try SMTPServer(url: url)
    #expect(server.user == user)
    #expect(server.password == password)
  }

  @Test func `a user and a password of their own replace the URL's, as they are`() throws {
    let server = try SMTPServer(url: "smtp://ada:old@relay", user: "b%41", password: "p%20@")
    #expect(server.user == "b%41")
    #expect(server.password == "p%20@")
    #expect(server.port == 587)
  }

  @Test(
    arguments: [
      "", "relay", "http://relay", "smtp:relay", "smtp://", "smtp://:25", "smtp://relay:",
      "smtp://relay:0", "smtp://relay:65536", "smtp://relay:+25", "smtp://relay/path",
      "smtp://relay?x", "smtp://relay#x", "smtp://re lay", "smtp://[2001:db8::1", "smtp://@relay",
      "smtp://:secret@relay", "smtp://ada:%zz@relay", "smtp://ada:%2@relay", "smtp://ada:%00@relay",
      "smtp://ada:%FF@relay", "smtp://relay\r\n", "smtp://réseau",
    ]
  )
  func `rejects an invalid URL`(_ url: String) {
    #expect(throws: SMTPServerError.invalidURL) { try SMTPServer(url: url) }
  }

  @Test func `rejects a password without a user`() {
    #expect(throws: SMTPServerError.passwordWithoutUser) {
      try SMTPServer(url: "smtp://relay", password: "secret")
    }
  }

  @Test(
    arguments: [
      ("smtp://relay", .opportunistic), ("smtp://ada:x@relay", .required),
      ("smtps://relay", .required),
    ] as [(String, SMTPSecurity)]
  )
  func `requires TLS by default where a password is sent`(
    _ url: String, _ security: SMTPSecurity
  ) throws {
    #expect(try SMTPServer(url: url).defaultSecurity == security)
  }

  @Test(
    arguments: [
      ("127.0.0.1", true), ("127.8.9.10", true), ("[::1]", true), ("localhost", true),
      ("LocalHost", true), ("127.example.com", false), ("127.0.0.1.example.com", false),
      ("127.0.0.256", false), ("localhost.example.com", false), ("[::2]", false),
      ("192.0.2.1", false),
    ]
  )
  func `only names and addresses of this machine are loopback`(
    _ host: String, _ expected: Bool
  )
    throws
  {
    #expect(try SMTPServer(url: "smtp://\(host)").isLoopback == expected)
  }

  @Test func `describes itself without credentials`() throws {
    #expect(try SMTPServer(url: "smtp://ada:secret@relay").description == "relay:587")
  }
}
