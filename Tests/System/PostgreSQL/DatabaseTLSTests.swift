import TestSupport
import Testing

/// Tests of connections to a database server whose certificate is verified.
@Suite(.needsPostgreSQL) struct DatabaseTLSTests {
  private static let authority = try? TestCertificate()
  private static let server: PostgreSQLServer? = {
    guard let authority, let certificate = try? TestCertificate(issuer: authority) else {
      return nil
    }
    return try? PostgreSQLServer(
      ["ssl": "on", "ssl_cert_file": "../certificate.pem", "ssl_key_file": "../key.pem"],
      files: ["certificate.pem": certificate.certificate, "key.pem": certificate.key],
      listens: true)
  }()

  private let list: ReplicatedList
  private let folder: Folder

  init() throws {
    list = try ReplicatedList(on: Self.server)
    folder = try Folder()
  }

  /// Makes the URL of the list at a host, with the certificate of the authority it trusts.
  private func url(host: String, trusting authority: TestCertificate) throws -> String {
    let file = try folder.write(
      String(decoding: authority.certificate, as: UTF8.self), to: "authority.pem")
    return """
      postgres://\(PostgreSQLServer.role)@\(host):\(list.server.port)/\(list.name)\
      ?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=\(file)
      """
  }

  @Test func `all connections to a server with the right certificate are encrypted`() throws {
    let url = try url(host: "localhost", trusting: #require(Self.authority))
    let service = try Enlist(["--database", url])
    try service.signUp("ana@example.com").expect(202)
    let encrypted = try list.count(
      """
      SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
      WHERE datname = current_database() AND ssl
      """
    )
    #expect(encrypted == 3)
  }

  @Test func `a server with the name of another in its certificate is rejected`() throws {
    let url = try url(host: "db.example.org", trusting: #require(Self.authority))
    try expectRejection(
      url, "The database server rejects the connection", "does not match host name")
  }

  @Test func `a server with a certificate of another authority is rejected`() throws {
    let url = try url(host: "localhost", trusting: TestCertificate())
    // Its name is the same, so that only the signature is wrong, which libpq does not name as the
    // reason.
    try expectRejection(url, "The database server cannot be reached", "SSL error")
  }

  private func expectRejection(_ url: String, _ problem: String, _ reason: String) throws {
    // Unlike `serve`, the command does not wait for a server that may still be starting.
    let export = try Child.run(["enlist", "export", "--database", url]).expect(69)
    #expect(export.errors.contains(problem), "\(export.errors)")
    #expect(export.errors.contains(reason), "\(export.errors)")
    #expect(export.output.isEmpty)
  }
}
