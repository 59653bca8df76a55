import Testing

@testable import PostgreSQLStorage

@Suite struct ConnectionParametersTests {
  private static func options(
    _ url: String, _ environment: [String: String] = [:]
  ) throws -> [[String: String]] {
    try ConnectionParameters(url: url) { environment[$0] }.hosts.map { options in
      Dictionary(uniqueKeysWithValues: options.map { ($0.keyword, $0.value) })
    }
  }

  @Test func `adds what the URL does not say`() throws {
    let options = try #require(try Self.options("postgres://enlist@db.example.org/list").first)
    #expect(
      options == [
        "host": "db.example.org", "user": "enlist", "dbname": "list",
        "connect_timeout": "2", "keepalives_idle": "5", "keepalives_interval": "2",
        "keepalives_count": "3", "tcp_user_timeout": "5000", "target_session_attrs": "read-write",
        "client_encoding": "UTF8", "application_name": "enlist", "sslmode": "verify-full",
        "sslrootcert": "/etc/ssl/certs/ca-certificates.crt",
      ]
    )
  }

  @Test func `keeps what the URL says`() throws {
    let url = "postgresql://u:p%40ss@db/list?sslmode=require&connect_timeout=9&application_name=x"
    let options = try #require(try Self.options(url).first)
    #expect(options["password"] == "p@ss")
    #expect(options["sslmode"] == "require")
    #expect(options["sslrootcert"] == nil)
    #expect(options["connect_timeout"] == "9")
    #expect(options["application_name"] == "x")
  }

  @Test(
    arguments: [
      ("db1,db2", ["db1", "db2"], [nil, nil]),
      ("db1:1,db2:2", ["db1", "db2"], ["1", "2"]),
      ("db1,db2:2", ["db1", "db2"], [nil, "2"]),
      ("[2001:db8::1]:5,db2", ["2001:db8::1", "db2"], ["5", nil]),
    ] as [(String, [String], [String?])]
  )
  func `tries several hosts`(hosts: String, names: [String], ports: [String?]) throws {
    let options = try Self.options("postgres://u@\(hosts)/list")
    #expect(options.map { $0["host"] } == names)
    #expect(options.map { $0["port"] } == ports)
  }

  @Test(arguments: [
    ("postgres:///list", true),
    ("postgres://u@%2Frun%2Fpostgresql/list", true),
    ("postgres://u@localhost/list", true),
    ("postgres://u@127.0.0.1:5433/list", true),
    ("postgres://u@[::1]/list", true),
    ("postgres://u@db/list?hostaddr=127.0.0.2", true),
    ("postgres://u@127.0.0.1.example.org/list", false),
    ("postgres://u@localhost.example.org/list", false),
    ("postgres://u@192.0.2.1/list", false),
    ("postgres://u@localhost/list?hostaddr=192.0.2.1", false),
  ])
  func `requires verified TLS except on this machine`(url: String, isLocal: Bool) throws {
    let options = try #require(try Self.options(url).first)
    #expect(options["sslmode"] == (isLocal ? nil : "verify-full"))
    #expect(try !ConnectionParameters(url: url) { _ in nil }.hasWeakTLS)
  }

  @Test(
    arguments: [
      ("///list", ["PGHOST": "db.example.org"], false),
      ("///list", ["PGHOST": "/run/postgresql,db.example.org"], false),
      ("///list", ["PGHOST": "/run/postgresql"], true),
      ("///list", ["PGHOST": ""], true),
      ("///list", ["PGHOSTADDR": "192.0.2.1"], false),
      ("///list", ["PGHOSTADDR": "127.0.0.1", "PGHOST": "db.example.org"], true),
      ("///list?host=&sslmode=", ["PGHOST": "db.example.org"], false),
      ("///list?host=,", ["PGHOST": "db.example.org"], false),
      ("///list", ["PGSERVICE": "list"], false),
      ("///list?service=list", [:], false),
      ("//u@localhost/list", ["PGSERVICE": "list"], false),
      ("//u@localhost/list", ["PGHOSTADDR": "192.0.2.1"], false),
      ("//u@localhost/list", ["PGHOST": "db.example.org"], true),
    ] as [(String, [String: String], Bool)]
  )
  func `requires verified TLS where the environment leads off this machine`(
    rest: String, environment: [String: String], isLocal: Bool
  ) throws {
    for options in try Self.options("postgres:\(rest)", environment) {
      #expect(options["sslmode"] == (isLocal ? nil : "verify-full"))
    }
    let url = "postgres:\(rest)\(rest.contains("?") ? "&" : "?")sslmode=require"
    #expect(try ConnectionParameters(url: url) { environment[$0] }.hasWeakTLS == !isLocal)
  }

  @Test(arguments: [
    ("postgres://u@db/list?sslmode=require", true),
    ("postgres://u@db/list?sslmode=verify-ca", true),
    ("postgres://u@localhost,db/list?sslmode=disable", true),
    ("postgres://u@db/list?sslmode=verify-full", false),
    ("postgres://u@localhost/list?sslmode=disable", false),
  ])
  func `reports a certificate that is not verified`(url: String, isWeak: Bool) throws {
    #expect(try ConnectionParameters(url: url) { _ in nil }.hasWeakTLS == isWeak)
  }

  @Test(
    arguments: [
      ("sqlite:/x", .scheme),
      ("host=db dbname=list", .scheme),
      ("postgres://u@db/list?unknown=1", .malformed),
      ("postgres://u@db/list?x", .malformed),
      ("postgres://u@db/%zz", .malformed),
      ("postgres://u@db", .noDatabase),
      ("postgres://u@db/", .noDatabase),
      ("postgres://u@db/list?hostaddr=192.0.2.1,192.0.2.2", .ports),
      ("postgres://u@db:0/list", .malformed),
      ("postgres://u@db:65536/list", .malformed),
      ("postgres://u@db:x/list", .malformed),
      ("postgres://u@db1,db2:99999/list", .malformed),
      ("postgres://u@db/list?port=-1", .malformed),
      ("postgres://u@db/list?sslmode=maybe", .malformed),
      ("postgres://u@db/list?target_session_attrs=fast", .malformed),
    ] as [(String, ConnectionParametersError)]
  )
  func `rejects an invalid URL`(url: String, expected: ConnectionParametersError) {
    #expect(throws: expected) { try ConnectionParameters(url: url) }
  }

  @Test func `describes the database without user and password`() throws {
    let parameters = try ConnectionParameters(url: "postgres://u:secret@db1,db2:6/list")
    #expect(parameters.description == "dbname=list host=db1, dbname=list host=db2 port=6")
  }
}
