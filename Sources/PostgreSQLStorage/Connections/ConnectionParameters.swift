internal import CLibpq
internal import Glibc

/// The reason why a database URL is invalid; it never quotes the URL, which may contain a password.
package enum ConnectionParametersError: Error, Hashable, Sendable {
  /// The URL does not begin with `postgres://` or `postgresql://`.
  case scheme
  /// libpq rejects the URL, a port or another parameter.
  case malformed
  /// The URL contains no database.
  case noDatabase
  /// The numbers of hosts and ports differ.
  case ports
}

extension ConnectionParametersError: CustomStringConvertible {
  /// The problem, and the expected form.
  package var description: String {
    let form = "postgres://USER@HOST[,HOST]/DATABASE[?PARAMETERS]"
    return switch self {
    case .scheme, .malformed: "is not a database URL: expected \(form)"
    case .noDatabase: "names no database: expected \(form)"
    case .ports: "has a number of ports that differs from that of its hosts: expected \(form)"
    }
  }
}

/// The location of the database, and the options of its connections.
///
/// If the URL does not contain them, timeouts are added, and verified TLS except for this machine.
/// libpq can also read the password from `PGPASSFILE` or `PGPASSWORD`.
package struct ConnectionParameters: Hashable, Sendable {
  /// The options for each host, in the order of the attempts.
  private(set) var hosts: [[ConnectionOption]] = []

  /// Whether a connection over a network does not verify the server's certificate and name.
  package private(set) var hasWeakTLS = false

  /// The timeout of a connection to one host.
  static let connectTimeout: Duration = .seconds(2)

  /// The certificates of the system's authorities.
  ///
  /// libpq 16 provides them as `system`, which also rules out every weaker mode.
  private static let authorities = "/etc/ssl/certs/ca-certificates.crt"

  /// The defaults of options that a URL does not contain.
  private static let defaults = [
    "connect_timeout": "2",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "5000",
    "target_session_attrs": "read-write",
    "client_encoding": "UTF8",
    "application_name": "enlist",
  ]

  /// Parses a URL such as `postgres://enlist@db1,db2/list`; the corresponding C function is
  /// `PQconninfoParse`.
  ///
  /// - Parameter environment: Returns the value of one of libpq's environment variables; `nil` if
  ///   it is not set.
  package init(
    url: String,
    environment: (_ name: String) -> String? = { name in getenv(name).map { String(cString: $0) } }
  ) throws(ConnectionParametersError) {
    guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else { throw .scheme }
    var given = try Self.parse(url).filter { !$0.value.isEmpty }
    // The host of a service is in a file that only libpq reads.
    let isService = (given["service"] ?? environment("PGSERVICE")) != nil
    guard let database = given["dbname"], !database.isEmpty else { throw .noDatabase }
    let names = Self.list(given.removeValue(forKey: "host"))
    let addresses = Self.list(given.removeValue(forKey: "hostaddr"))
    let ports = Self.list(given.removeValue(forKey: "port"))
    let count = max(names.count, addresses.count, 1)
    guard names.isEmpty || addresses.isEmpty || names.count == addresses.count,
      ports.count <= 1 || ports.count == count
    else { throw .ports }
    for index in 0..<count {
      var options = Self.defaults.merging(given) { $1 }
      if index < names.count, !names[index].isEmpty { options["host"] = names[index] }
      if index < addresses.count, !addresses[index].isEmpty {
        options["hostaddr"] = addresses[index]
      }
      // libpq leaves the port of a host without one empty.
      let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
      if !port.isEmpty { options["port"] = port }
      // libpq reads missing options from the environment.
      let name = options["host"] ?? environment("PGHOST")
      let address = options["hostaddr"] ?? environment("PGHOSTADDR")
      if isService || !Self.isLocal(name: name, address: address) {
        if options["sslmode"] == nil { options["sslmode"] = "verify-full" }
        if options["sslrootcert"] == nil, options["sslmode"]?.hasPrefix("verify-") == true {
          options["sslrootcert"] = Self.authorities
        }
        if options["sslmode"] != "verify-full" { hasWeakTLS = true }
      }
      guard isService || Self.accepts(options) else { throw .malformed }
      hosts.append(
        options.sorted { $0.key < $1.key }.map { ConnectionOption(keyword: $0, value: $1) })
    }
  }

  /// Replaces the value of an option for every host.
  mutating func replace(_ keyword: String, by value: String) {
    hosts = hosts.map { options in
      options.map { option in
        option.keyword == keyword ? ConnectionOption(keyword: keyword, value: value) : option
      }
    }
  }

  private static func parse(_ url: String) throws(ConnectionParametersError) -> [String: String] {
    var message: UnsafeMutablePointer<CChar>?
    let parsed = PQconninfoParse(url, &message)
    // The message may quote the URL.
    if let message { PQfreemem(message) }
    guard let parsed else { throw .malformed }
    defer { PQconninfoFree(parsed) }
    var values: [String: String] = [:]
    var option = parsed
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        values[String(cString: keyword)] = String(cString: value)
      }
      option += 1
    }
    return values
  }

  /// Returns whether libpq accepts the values of options, such as a port, which it validates only
  /// when it connects.
  ///
  /// The path of a socket, which is too long, replaces the host. libpq therefore ends before it
  /// opens a socket, with a message that quotes the path.
  private static func accepts(_ options: [String: String]) -> Bool {
    let path = "/" + String(repeating: "x", count: 200)
    // With a password, libpq reads no password file.
    var options = options.merging(["host": path, "password": "x"]) { $1 }
    options["hostaddr"] = nil
    let pairs = Array(options)
    let connection = CStrings.with(pairs.map(\.key)) { keywords in
      CStrings.with(pairs.map(\.value)) { values in PQconnectStartParams(keywords, values, 0) }
    }
    guard let connection else { return true }
    defer { PQfinish(connection) }
    return PQerrorMessage(connection).map { String(cString: $0) }?.contains(path) ?? true
  }

  private static func list(_ text: String?) -> [String] {
    guard let text, !text.isEmpty else { return [] }
    return text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns whether a host is this machine: a Unix socket, or a loopback address.
  private static func isLocal(name: String?, address: String?) -> Bool {
    if let address, !address.isEmpty { return isLoopback(address) }
    guard let name, !name.isEmpty else { return true }
    // The environment may contain several hosts.
    guard !name.contains(",") else { return false }
    // A path, or a name in the abstract namespace.
    return name.hasPrefix("/") || name.hasPrefix("@") || name == "localhost" || isLoopback(name)
  }

  private static func isLoopback(_ address: String) -> Bool {
    if address == "::1" { return true }
    let parts = address.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

extension ConnectionParameters {
  /// The hosts with their ports, for the log.
  var servers: String {
    hosts.map { options in
      let values = Dictionary(options.map { ($0.keyword, $0.value) }) { $1 }
      return "\(values["host"] ?? values["hostaddr"] ?? "localhost"):\(values["port"] ?? "5432")"
    }
    .joined(separator: ",")
  }
}

extension ConnectionParameters: CustomStringConvertible {
  /// The hosts and the database, without user and password.
  package var description: String {
    hosts.map { options in
      options.filter { ["dbname", "host", "hostaddr", "port"].contains($0.keyword) }
        .map { "\($0.keyword)=\($0.value)" }.joined(separator: " ")
    }
    .joined(separator: ", ")
  }
}
