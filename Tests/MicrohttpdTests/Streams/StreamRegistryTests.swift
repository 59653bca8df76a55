import HTTPSignals
import Logging
import Signals
import Testing

@testable import Microhttpd

/// The admission of streams and the choice of their transport, without sockets.
@Suite struct StreamRegistryTests {
  /// A transport that opens no stream and records the calls.
  private final class Transport: EventStreamTransport {
    let kind: StreamTransport
    let servedConnection: OpaquePointer?
    private(set) var drains: [Duration] = []
    private(set) var endCount = 0

    init(_ kind: StreamTransport, onlyFor servedConnection: OpaquePointer? = nil) {
      self.kind = kind
      self.servedConnection = servedConnection
    }

    func canServe(_ connection: OpaquePointer) -> Bool {
      servedConnection == nil || servedConnection == connection
    }

    func makeResponse(to request: StreamRequest, on connection: OpaquePointer) -> MHDResponse? {
      nil
    }

    func drain(within time: Duration) {
      drains.append(time)
    }

    func endAll() {
      endCount += 1
    }
  }

  private let plain: OpaquePointer
  private let other: OpaquePointer
  private let direct: Transport
  private let library = Transport(.library)
  private let registry: StreamRegistry

  init() throws {
    plain = try #require(OpaquePointer(bitPattern: 1))
    other = try #require(OpaquePointer(bitPattern: 2))
    direct = Transport(.direct, onlyFor: plain)
    var limits = StreamLimits()
    limits.maximum = 3
    limits.maximumThroughLibrary = 1
    registry = StreamRegistry(
      [direct, library], admission: StreamAdmission(limits),
      rejections: RejectionLog(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
  }

  private func admit(
    on connection: OpaquePointer, fields: FieldList = FieldList(), source: (any Disposable)? = nil
  ) -> StreamRegistry.Admission {
    let log = EventLog(capacity: 1)
    let stream = EventStream(log: log, from: log.head, source: source)
    return registry.admit(
      StreamRequest(stream, client: .local, fields: fields, isHTTP10: false), on: connection)
  }

  private func kind(_ admission: StreamRegistry.Admission) -> StreamTransport? {
    switch admission {
    case .admitted(let transport): transport.kind
    case .tooMany, .draining, .deferred: nil
    }
  }

  @Test func `a stream gets the first transport that can serve its connection`() {
    #expect(kind(admit(on: plain)) == .direct)
    #expect(kind(admit(on: other)) == .library)
  }

  @Test func `the limit of libmicrohttpd's streams does not apply to other streams`() {
    #expect(kind(admit(on: other)) == .library)
    #expect(kind(admit(on: other)) == nil)
    #expect(kind(admit(on: plain)) == .direct)
  }

  @Test func `a rejected stream ends its subscription`() {
    let source = AnyDisposable {}
    for _ in 0..<3 { _ = admit(on: plain) }
    #expect(kind(admit(on: plain, source: source)) == nil)
    #expect(source.isDisposed)
  }

  @Test func `an EventSource that is rejected gets a stream that says when to reconnect`() {
    for _ in 0..<3 { _ = admit(on: plain) }
    var fields = FieldList()
    Array("accept".utf8).withUnsafeBytes { name in
      Array("text/event-stream".utf8).withUnsafeBytes { fields.append(name: name, value: $0) }
    }
    guard case .deferred(let content) = admit(on: plain, fields: fields) else {
      Issue.record("expected a deferred stream")
      return
    }
    #expect(String(decoding: content, as: UTF8.self).hasPrefix("retry: "))
  }

  @Test func `a drain ends the streams of all transports and admits no more`() {
    registry.drain(within: .seconds(9))
    #expect(direct.drains == [.seconds(9)])
    #expect(library.drains == [.seconds(9)])
    guard case .draining = admit(on: plain) else {
      Issue.record("expected the reason for the rejection")
      return
    }
    registry.endAll()
    #expect(direct.endCount == 1)
    #expect(library.endCount == 1)
  }
}
