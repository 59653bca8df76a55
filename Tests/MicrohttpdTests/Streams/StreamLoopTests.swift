import Glibc
import HTTPSignals
import Signals
import TestSupport
import Testing

@testable import Microhttpd
@testable import Platform

/// The thread that writes streams, without a daemon.
@Suite struct StreamLoopTests {
  /// Nobody would tell it that its client has left.
  ///
  /// epoll refuses a device, as it refuses any socket beyond `max_user_watches`.
  @Test func `a stream that cannot be watched ends, and its client may come back`() throws {
    let registry = MetricRegistry([])
    var options = DaemonOptions.test()
    options.metrics = DaemonMetrics(registry)
    let admission = StreamAdmission(options.streams)
    let loop = try StreamLoop(options, admission)
    try loop.start()
    let isDisposed = Expectation()
    let stream = EventStream(
      log: EventLog(capacity: 1), from: 1, source: AnyDisposable { isDisposed.fulfill() })
    #expect(admission.enter(.local))
    loop.open(
      StreamRequest(
        stream, client: .local, query: FieldList(), fields: FieldList(), isHTTP10: false),
      on: StreamSocket(Glibc.open("/dev/null", O_WRONLY | O_CLOEXEC)))
    try isDisposed.wait()
    try eventually { admission.count == 0 }
    // Without the check, the failed write would count as the client's end.
    let reason = [MetricSample.Label("reason", "lifetime")]
    #expect(registry.counter("enlist_stream_closes_total", reason).value == 1)
    let hasStopped = Expectation()
    loop.stop { hasStopped.fulfill() }
    try hasStopped.wait()
  }
}
