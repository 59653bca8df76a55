import Foundation
import TestSupport
import Testing

/// Tests of the commands in the README and their printed output.
@Suite(.timeLimit(.minutes(15))) struct ReadmeTests {
  @Test func `the commands in the README print the output it shows`() throws {
    let examples = try ReadmeExample.all()
    #expect(examples.count == 6)
    let folder = try TemporaryFolder()

    // The first command starts the service; the second follows the stream until the end.
    let service = try ChildProcess("enlist", ["--listen", "127.0.0.1:0"], in: folder)
    let port = try service.readPort()
    let shell = ReadmeShell(port: port, folder: folder)
    let first = try #require(examples.first)
    #expect(first.command == "Scripts/run")
    #expect(first.isShown(by: ["listening on http://127.0.0.1:\(port)"]))

    let stream = try #require(examples.dropFirst().first)
    let reader = try shell.start(stream.command)
    var received: [String] = []
    while received.count < 2, let line = try reader.readLine() { received.append(line) }

    for example in examples.dropFirst(2) {
      let process = try shell.start(example.command)
      let output = String(decoding: try process.readOutput(), as: UTF8.self)
      let lines = output.split(whereSeparator: \.isNewline).map(String.init)
      #expect(example.isShown(by: lines), "\(example.command) printed \(lines)")
    }

    while received.count < stream.output.count, let line = try reader.readLine() {
      received.append(line)
    }
    #expect(stream.isShown(by: received), "the stream contained \(received)")
  }
}

/// A block of the README with a command and its output.
private struct ReadmeExample {
  let command: String
  let output: [String]

  /// Reads the `console` blocks, in their order.
  static func all() throws -> [ReadmeExample] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    return text.components(separatedBy: "```console\n$ ").dropFirst().map { block in
      let lines = block.components(separatedBy: "\n```\n")[0].components(separatedBy: "\n")
      return ReadmeExample(command: lines[0], output: Array(lines.dropFirst()))
    }
  }

  /// Returns whether lines match the output, ignoring values that differ in each run.
  func isShown(by lines: [String]) -> Bool {
    let wanted = output.filter { !$0.isEmpty }.map(Self.withoutWhatChanges)
    return lines.filter { !$0.isEmpty }.map(Self.withoutWhatChanges) == wanted
  }

  private static func withoutWhatChanges(_ line: String) -> String {
    line
      .replacing(/[0-9a-v]{36}/, with: "ID")
      .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/, with: "TIME")
      .replacing(/^Date: .*/, with: "Date")
      .replacing(/^id: [a-z0-9]{8}-/, with: "id: EPOCH-")
      .replacing(/^retry: [0-9]+/, with: "retry")
      .replacing(/:[0-9]+$/, with: ":PORT")
      .trimmingCharacters(in: .whitespaces)
  }
}

/// A runner of the README's commands with the program built for the tests, on another port.
private struct ReadmeShell {
  let port: UInt16
  let folder: TemporaryFolder

  func start(_ command: String) throws -> ChildProcess {
    let command =
      command
      .replacing("localhost:8080", with: "127.0.0.1:\(port)")
      // The launcher receives the program as its `$0`.
      .replacing("Scripts/run", with: "\"$0\"")
    return try ChildProcess("enlist", in: folder, through: ["bash", "-c", command])
  }
}
