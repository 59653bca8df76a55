import Foundation
import TestSupport
import Testing

/// Event streams as clients read them that others wrote.
@Suite(
  .enabled(
    if: StreamClients.arePresent,
    "httpx-sse and sseclient-py are not there: Scripts/bootstrap test fetches them"
  )
)
struct StreamClientsTests {
  /// Prints every event that a client makes of a stream, also those that nobody sent.
  private static let program = """
    import http.client, sys
    def with_httpx_sse(port):
        import httpx, httpx_sse
        url = f"http://127.0.0.1:{port}/status"
        with httpx.Client(timeout=30) as client:
            with httpx_sse.connect_sse(client, "GET", url) as source:
                print("open", flush=True)
                yield from source.iter_sse()
    def with_sseclient(port):
        import sseclient
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/status", headers={"Accept": "text/event-stream"})
        answer = connection.getresponse()
        print("open", flush=True)
        yield from sseclient.SSEClient(answer).events()
    for event in globals()["with_" + sys.argv[1]](int(sys.argv[2])):
        print(event.id, event.event, event.data, flush=True)
    """

  @Test(arguments: ["httpx_sse", "sseclient"])
  func `a client sees exactly the events that were sent, across heartbeats`(
    _ client: String
  ) throws {
    let service = try RunningService(["--heartbeat", "20ms"])
    try service.folder.write(Self.program, to: "read.py")
    let reader = try Program.start(
      "env PYTHONPATH='\(StreamClients.packages)' python3 read.py \(client) \(service.port)",
      in: service.folder
    )
    try #require(try reader.readLine() == "open", "\(reader.standardError)")
    let stream = try service.stream()
    for number in 1...3 {
      #expect(try service.signUp("person\(number)@example.com").status == 202)
      for _ in 0..<2 {
        let event = try #require(try stream.readEvent())
        let seen = try reader.readLine()
        #expect(seen == "\(event.id ?? "") \(event.event ?? "") \(event.data ?? "")")
      }
      // A few heartbeats of each, which the client must not take for events.
      var heartbeats = 0
      while heartbeats < 5 { heartbeats += try stream.readEventLine() == ":" ? 1 : 0 }
    }
    service.process.send(signal: SIGTERM)
    while try stream.readEvent() != nil {}
    // Nothing more: the stream ended, and the client knows.
    #expect(try reader.readLine() == nil, "\(reader.standardError)")
    #expect(try reader.wait() == .exit(0))
  }
}

/// Where `Scripts/bootstrap test` puts the clients.
private enum StreamClients {
  static let packages = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: ".build-stream-clients").path
  static let arePresent = FileManager.default.fileExists(atPath: "\(packages)/sseclient")
}
