internal import Testing

/// nginx in front of a service, for one test; it ends with its last owner.
package struct Nginx {
  private let socket: String
  private let host: String
  private let process: Child

  /// Starts nginx.
  ///
  /// - Parameters:
  ///   - configuration: The content of its block `http`; a server listens on ``listen(in:)``.
  ///   - host: The host of the requests of ``signUp(_:from:)``.
  ///   - folder: The working directory.
  package init(
    _ configuration: String, host: String = "localhost", in folder: Folder
  ) throws {
    try self.init(
      file: """
        daemon off; master_process off; pid nginx.pid;
        error_log stderr; error_log /dev/stdout notice;
        events {}
        http {
          access_log off;
          client_body_temp_path body; proxy_temp_path proxy;
          fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
          \(configuration)
        }
        """,
      host: host,
      in: folder
    )
  }

  /// Starts nginx with a file of its own.
  ///
  /// - Parameters:
  ///   - file: The file, which keeps nginx in the foreground and logs notices to `/dev/stdout`.
  ///   - host: The host of the requests of ``signUp(_:from:)``.
  ///   - folder: The working directory.
  package init(file: String, host: String = "localhost", in folder: Folder) throws {
    socket = Self.socket(in: folder)
    self.host = host
    try folder.write(file, to: "nginx.conf")
    process = try Child(["nginx", "-p", folder.path, "-c", "nginx.conf"], in: folder)
    // The first log line, which names the event method, comes after the sockets are open.
    let line = try process.nextLine()
    try #require(line?.contains("event method") == true, "\(process.errors)")
  }

  /// Returns the directive by which a server listens: on a Unix socket, because nginx cannot pick a
  /// free port.
  ///
  /// - Parameter folder: The working directory.
  /// - Returns: For example `listen unix:/tmp/a/nginx.sock;`.
  package static func listen(in folder: Folder) -> String {
    "listen unix:\(socket(in: folder));"
  }

  private static func socket(in folder: Folder) -> String {
    folder("nginx.sock")
  }

  /// Connects to nginx.
  ///
  /// - Returns: The connection.
  package func connect() throws -> Client {
    try Client(path: socket)
  }

  /// Returns a port that leads to nginx, for browsers, which connect to no Unix socket.
  ///
  /// - Returns: The proxy that has the port.
  package func proxy() throws -> TestProxy {
    try TestProxy { [socket] in try Client(path: socket) }
  }

  /// Signs an address up on a new connection.
  ///
  /// - Parameters:
  ///   - address: The address, which needs no escapes.
  ///   - client: The client's IP address, the value of `X-Test-Client`.
  ///   - fields: Additional header fields, as lines without line ends.
  /// - Returns: The response.
  package func signUp(
    _ address: String, from client: String, fields: [String] = []
  ) throws -> Client.Response {
    let connection = try connect()
    try connection.request(
      "POST",
      "/subscribers",
      host: host,
      fields: [
        "Content-Type: application/x-www-form-urlencoded", "X-Test-Client: \(client)",
      ] + fields,
      body: "email=\(address)"
    )
    return try connection.readResponse()
  }

  /// Expects a service that permits two sign-ups per client to count those of two clients apart.
  package func expectLimitPerClient() throws {
    for name in ["a", "b"] {
      #expect(try signUp("\(name)@example.org", from: "203.0.113.9").status == 202)
    }
    #expect(try signUp("c@example.org", from: "203.0.113.9").status == 429)
    #expect(try signUp("c@example.org", from: "198.51.100.1").status == 202)
  }
}
