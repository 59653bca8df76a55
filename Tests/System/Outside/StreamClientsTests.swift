import Glibc
import TestSupport
import Testing

/// Tests of event streams with third-party clients.
@Suite(.needsPython)
struct StreamClientsTests {
  /// Prints every event that a client parses from a stream, even an event that was never sent.
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
        response = connection.getresponse()
        print("open", flush=True)
        yield from sseclient.SSEClient(response).events()
    for event in globals()["with_" + sys.argv[1]](int(sys.argv[2])):
        print(event.id, event.event, event.data, flush=True)
    """

  @Test(arguments: ["httpx_sse", "sseclient"])
  func `a third-party client receives exactly the events that were sent`(_ client: String) throws {
    let service = try Enlist(["--heartbeat", "20ms"])
    try service.folder.write(Self.program, to: "read.py")
    let reader = try Child(
      ["python3", "read.py", client, "\(service.port)"], in: service.folder,
      environment: ["PYTHONPATH": PythonPackages.folder])
    try #require(try reader.nextLine() == "open", "\(reader.errors)")
    let stream = try service.stream()
    for number in 1...3 {
      try service.signUp("person\(number)@example.com").expect(202)
      for _ in 0..<2 {
        let event = try #require(try stream.readEvent())
        let seen = try reader.nextLine()
        #expect(seen == "\(event.id ?? "") \(event.event ?? "") \(event.data ?? "")")
      }
      // Waits for a few heartbeats, which the client must not treat as events.
      var heartbeats = 0
      while heartbeats < 5 { heartbeats += try stream.readEventLine() == ":" ? 1 : 0 }
    }
    service.process.send(SIGTERM)
    while try stream.readEvent() != nil {}
    // Nothing follows: the stream ended, and the client noticed.
    let (line, end) = (try reader.nextLine(), try reader.wait())
    #expect(line == nil, "\(reader.errors)")
    #expect(end == .exit(0), "\(reader.errors)")
  }
}
