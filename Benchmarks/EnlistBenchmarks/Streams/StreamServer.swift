internal import ArgumentParser
internal import Dispatch
internal import Glibc
internal import HTTPSignals
internal import HTTPTypes
internal import Logging
internal import Microhttpd
internal import Platform
internal import Services
internal import Signals

/// A minimal service with event streams, to be measured by another process.
///
/// `POST /publish` sends its body as one event to every client of `GET /status`.
struct StreamServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stream-server",
    abstract: "Serve event streams without a store, for a load client to measure.")

  @Option(name: .shortAndLong, help: "The port on 127.0.0.1; 0 picks a free one.")
  var port: UInt16 = 0

  func run() async throws {
    var options = DaemonOptions(
      logger: Logger(label: "streams"), responsePolicy: OperatorResponsePolicy())
    options.endpoint = .address(.network(HostAndPort(host: .v4(0x7F00_0001), port: port)))
    options.streams.maximum = 20_000
    let daemon = try Daemon(options)
    let log = EventLog(capacity: 8192)
    for exchanges in daemon.exchanges { exchanges.subscribe(next: { response($0, log) }) }
    try daemon.start()
    print("listening on http://\(daemon.endpoint)")

    signal(SIGTERM, SIG_IGN)
    let terminations = DispatchSource.makeSignalSource(signal: SIGTERM)
    await withCheckedContinuation { continuation in
      terminations.setEventHandler { continuation.resume() }
      terminations.activate()
    }
    terminations.cancel()
    await daemon.stop(drain: .zero)
  }

  private func response(_ exchange: Exchange, _ log: EventLog) {
    switch (exchange.request.method, exchange.request.path) {
    case (.get, "/status"):
      exchange.respond(EventStream(log: log, from: log.head).response)
    case (.post, "/publish"):
      let text = String(decoding: exchange.request.body, as: UTF8.self)
      log.append { position in
        var data = JSONText()
        data.object { $0.member("text", text) }
        return ServerSentEvent(
          id: .init(epoch: .init("bench"), position: position), name: .init("tick"), data: data)
      }
      exchange.respond(Response(status: .accepted))
    case (.get, "/healthz"):
      exchange.respond(Response(status: .ok))
    default:
      exchange.respond(.notFound)
    }
  }
}
