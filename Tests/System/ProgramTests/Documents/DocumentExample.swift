import Foundation
import TestSupport

/// The examples in a document.
extension Document {
  /// The `console` blocks, in their order.
  var examples: [DocumentExample] {
    text.components(separatedBy: "```console\n$ ").dropFirst().map { block in
      let lines = block.components(separatedBy: "\n```\n")[0].components(separatedBy: "\n")
      return DocumentExample(command: lines[0], output: Array(lines.dropFirst()))
    }
  }

  /// The flags of the service for the examples, from the comment `<!-- service: FLAGS -->`.
  var serviceFlags: [String] {
    guard let flags = text.firstMatch(of: /<!-- service: (.*) -->/)?.1 else { return [] }
    return flags.split(separator: " ").map(String.init)
  }
}

/// A block of a document with a command and its output.
struct DocumentExample {
  /// The command, one line.
  let command: String
  /// The lines of its output.
  let output: [String]

  /// Whether the command follows an event stream, which does not end.
  var isEndless: Bool { command.hasPrefix("curl -sN ") }

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
      .replacing(/"from":"[a-z0-9]{8}-/, with: "\"from\":\"EPOCH-")
      .replacing(/^retry: [0-9]+/, with: "retry")
      .replacing(/:[0-9]+$/, with: ":PORT")
      .replacing(/[0-9]+ (subscriber|consent|byte)s?/, with: { "N \($0.output.1)s" })
      .trimmingCharacters(in: .whitespaces)
  }
}

/// A runner of the documents' commands with the program built for the tests, on other ports.
struct DocumentShell {
  /// The working directory, with the databases of the services.
  let folder: TemporaryFolder

  /// The folder of backups in the documents.
  private static let backups = "/var/backups"
  private var backups: String { folder.path(of: "backups") }

  /// Starts a service of a document on a free port; curl reaches it by the port in the document.
  ///
  /// - Parameters:
  ///   - command: The command, as the document shows it, without an address.
  ///   - documented: The port in the document.
  /// - Returns: The service, and the line that it has printed.
  /// - Throws: `TestSystemError`, or an error of Foundation.
  func startService(
    _ command: String, at documented: UInt16 = 8080
  ) throws -> (process: ChildProcess, line: String) {
    let process = try start(
      "exec \(command.replacing(" --listen 127.0.0.1:\(documented)", with: "")) --listen 127.0.0.1:0"
    )
    let port = try process.readPort()
    let others = (try? folder.read(".curlrc")) ?? ""
    try folder.write(
      "\(others)connect-to = localhost:\(documented):127.0.0.1:\(port)\n", to: ".curlrc")
    return (process, "listening on http://127.0.0.1:\(port)")
  }

  /// Starts a command.
  ///
  /// - Parameter command: The command, as the document shows it.
  /// - Returns: The running shell.
  /// - Throws: `TestSystemError`.
  func start(_ command: String) throws -> ChildProcess {
    // The folder exists, as on Debian.
    try? FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: true)
    let command =
      command
      .replacing(Self.backups, with: backups)
      // The launcher receives the program as its `$0`.
      .replacing("Scripts/run", with: "\"$0\"")
      .replacing(/^enlist\s/, with: "\"$0\" ")
    return try ChildProcess(
      "enlist", environment: ["CURL_HOME": folder.path], in: folder,
      through: ["bash", "-c", command])
  }

  /// Runs an example, up to the last line that it shows if it has no end.
  ///
  /// - Parameter example: The example.
  /// - Returns: The lines of output.
  /// - Throws: `TestSystemError`.
  func lines(of example: DocumentExample) throws -> [String] {
    let process = try start(example.command)
    guard example.isEndless else {
      let output = String(decoding: try process.readOutput(), as: UTF8.self)
        .replacing(backups, with: Self.backups)
      return output.split(whereSeparator: \.isNewline).map(String.init)
    }
    var lines: [String] = []
    let count = example.output.count { !$0.isEmpty }
    while lines.count < count, let line = try process.readLine() {
      if !line.isEmpty { lines.append(line) }
    }
    return lines
  }
}
