import TestSupport
import Testing

/// Tests of the commands in the README and their printed output.
@Suite(.timeLimit(.minutes(15))) struct ReadmeTests {
  @Test func `the commands in the README print the output it shows`() throws {
    let examples = try Document("README.md").examples
    #expect(examples.count == 6)
    let folder = try TemporaryFolder()

    // The first command starts the service; the second follows the stream until the end.
    let service = try ChildProcess("enlist", ["--listen", "127.0.0.1:0"], in: folder)
    let port = try service.readPort()
    let shell = DocumentShell(port: port, folder: folder)
    let first = try #require(examples.first)
    #expect(first.command == "Scripts/run")
    #expect(first.isShown(by: ["listening on http://127.0.0.1:\(port)"]))

    let stream = try #require(examples.dropFirst().first)
    let reader = try shell.start(stream.command)
    var received: [String] = []
    while received.count < 2, let line = try reader.readLine() { received.append(line) }

    for example in examples.dropFirst(2) {
      let lines = try shell.lines(of: example)
      #expect(example.isShown(by: lines), "\(example.command) printed \(lines)")
    }

    while received.count < stream.output.count, let line = try reader.readLine() {
      received.append(line)
    }
    #expect(stream.isShown(by: received), "the stream contained \(received)")
  }

  @Test(arguments: ["docs/embedding.md", "docs/privacy.md", "docs/streams.md"])
  func `the commands in a document print the output it shows`(_ path: String) throws {
    let document = try Document(path)
    #expect(!document.examples.isEmpty)
    let folder = try TemporaryFolder()
    let service = try ChildProcess(
      "enlist",
      ["serve", "--listen", "127.0.0.1:0"] + document.serviceFlags,
      in: folder
    )
    let shell = DocumentShell(port: try service.readPort(), folder: folder)
    for example in document.examples {
      let lines = try shell.lines(of: example)
      #expect(example.isShown(by: lines), "\(example.command) printed \(lines)")
    }
  }
}
