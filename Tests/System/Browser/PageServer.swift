import HTTPSignals
import HTTPTypes
import Logging
import Microhttpd
import Platform
import Signals
import TestSupport

/// A server of another site, which responds to every request with the same page.
final class PageServer: Sendable {
  private let daemon: Daemon
  private let html = Lock("")

  init() throws {
    var options = DaemonOptions(
      logger: Logger(label: "site", factory: { _ in SwiftLogNoOpLogHandler() }),
      responsePolicy: TestResponsePolicy())
    options.endpoint = .address(.network(HostAndPort(host: .v4(0x7F00_0001), port: 0)))
    options.loopCount = 1
    daemon = try Daemon(options)
    for exchanges in daemon.exchanges {
      exchanges.subscribe(next: { [weak self] exchange in
        var response = Response(status: .ok)
        response.fields[.contentType] = "text/html; charset=utf-8"
        response.body = .bytes(Array((self?.page ?? "").utf8))
        exchange.respond(response)
      })
    }
    try daemon.start()
  }

  deinit {
    Task { [daemon] in await daemon.stop(drain: .zero) }
  }

  var port: UInt16 { daemon.endpoint.port ?? 0 }

  var page: String {
    get { html.withLock { $0 } }
    set { html.withLock { $0 = newValue } }
  }
}
