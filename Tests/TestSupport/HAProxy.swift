/// HAProxy in front of a service, for one test; it ends with its last owner.
package struct HAProxy {
  private let socket: String
  /// The process, which writes its log to standard output.
  package let process: Child

  /// Starts HAProxy, which logs requests.
  ///
  /// - Parameters:
  ///   - configuration: Its sections, of which a frontend listens on ``bind(in:)``.
  ///   - folder: The working directory.
  package init(_ configuration: String, in folder: Folder) throws {
    socket = Self.socket(in: folder)
    try folder.write(
      """
      global
        log stdout format raw daemon
      defaults
        log global
        option httplog
        timeout connect 5s
        timeout client 50s
        timeout server 50s
      \(configuration)

      """,
      to: "haproxy.cfg"
    )
    let process = try Child(["haproxy", "-db", "-f", "haproxy.cfg"], in: folder)
    self.process = process
    try eventually(process.errors) { [socket] in
      (try? Client(path: socket)) != nil
    }
  }

  /// Returns the address on which a frontend listens: a Unix socket, because HAProxy cannot pick a
  /// free port, whose connections begin with the address of the client.
  ///
  /// - Parameter folder: The working directory.
  /// - Returns: The arguments of `bind`.
  package static func bind(in folder: Folder) -> String {
    "unix@\(socket(in: folder)) accept-proxy"
  }

  private static func socket(in folder: Folder) -> String {
    folder("haproxy.sock")
  }

  /// Connects to HAProxy.
  ///
  /// - Parameter client: The client's IPv4 address.
  /// - Returns: The connection.
  package func connect(from client: String = "203.0.113.9") throws -> Client {
    let connection = try Client(path: socket)
    try connection.send("PROXY TCP4 \(client) 192.0.2.1 50000 443\r\n")
    return connection
  }
}
