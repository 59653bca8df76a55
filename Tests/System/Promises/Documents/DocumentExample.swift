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
}

/// A block of a document with a command and its output.
struct DocumentExample {
  /// The command, one line.
  let command: String
  /// The lines of its output.
  let output: [String]

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
final class DocumentShell {
  /// The working directory, with the databases of the services.
  private let folder: Folder
  /// The services, which end with the shell.
  private var services: [Child] = []

  /// The folder of backups in the documents.
  private static let backups = "/var/backups"
  private var backups: String { folder("backups") }

  init(in folder: Folder) throws {
    self.folder = folder
    // The folder exists, as on Debian.
    try FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: true)
  }

  /// Starts a service of a document on a free port; curl reaches it by the port in the document.
  ///
  /// - Parameters:
  ///   - command: The command, as the document shows it.
  ///   - documented: The port in the document.
  /// - Returns: The lines that it has printed.
  func startService(_ command: String, at documented: UInt16 = 8080) throws -> [String] {
    let command = command.replacing(" --listen 127.0.0.1:\(documented)", with: "")
    let service = try start("exec \(command) --listen 127.0.0.1:0")
    services.append(service)
    let route = "connect-to = localhost:\(documented):127.0.0.1:\(try service.port())\n"
    try folder.write(((try? folder.read(".curlrc")) ?? "") + route, to: ".curlrc")
    return service.output.split(separator: "\n").map(String.init)
  }

  /// Starts a command, as the document shows it.
  func start(_ command: String) throws -> Child {
    try Child(words(of: command), in: folder, environment: ["CURL_HOME": folder.path])
  }

  /// Runs a command to its end.
  func run(_ command: String) throws -> Child.Outcome {
    try Child.run(words(of: command), in: folder, environment: ["CURL_HOME": folder.path])
  }

  private func words(of command: String) -> [String] {
    let command = command.replacing(Self.backups, with: backups)
      .replacing("Scripts/run", with: "enlist")
    return ["bash", "-c", command]
  }

  /// Returns the lines that an example prints, up to the last one that it shows if it follows an
  /// event stream, which does not end.
  func lines(of example: DocumentExample) throws -> [String] {
    guard example.command.hasPrefix("curl -sN ") else {
      return try run(example.command).output.replacing(backups, with: Self.backups)
        .split(whereSeparator: \.isNewline).map(String.init)
    }
    let reader = try start(example.command)
    return try example.output.map { _ in try reader.nextLine() ?? "" }
  }
}
