import Foundation
import TestSupport
import Testing

/// A file to import, and what becomes of the people in it.
///
/// A failure is shown at its line.
struct ImportedFile {
  let name: String
  let bytes: [UInt8]
  let arguments: [String]
  let people: [String]
  let code: Int32
  let says: String
  let location: SourceLocation

  /// - Parameters:
  ///   - case: What is special.
  ///   - name: `-` is standard input, and `|` a pipe.
  ///   - text: The content.
  ///   - arguments: Those of the command.
  ///   - people: The people on the list afterwards, each with the state.
  ///   - code: The exit code.
  ///   - says: A part of standard error.
  ///   - location: The place of the row.
  init(
    _ case: String, _ name: String = "people", text: String, _ arguments: String...,
    people: [String] = [], code: Int32 = 0, says: String = "",
    location: SourceLocation = #_sourceLocation
  ) {
    (self.name, bytes, self.arguments) = (name, Array(text.utf8), arguments)
    (self.people, self.code, self.says, self.location) = (people, code, says, location)
  }

  /// A file of which nothing is imported.
  init(
    _ case: String, bytes: [UInt8], says: String, location: SourceLocation = #_sourceLocation
  ) {
    (name, self.bytes, arguments) = ("people", bytes, ["--state", "subscribed"])
    (people, code, self.says, self.location) = ([], 65, says, location)
  }
}

/// Imports each file into an empty list.
func expect(_ files: [ImportedFile]) throws {
  let service = try Enlist()
  _ = try service.stop()
  for file in files {
    let folder = try Folder()
    try FileManager.default.copyItem(
      atPath: service.database, toPath: folder("enlist.sqlite"))
    try Data(file.bytes).write(to: URL(filePath: folder(file.name)))
    let isPipe = file.name == "|"
    let launcher = isPipe ? ["sh", "-c", #"cat '|' | "$@""#, "sh"] : []
    let command = ["enlist", "import", isPipe ? "-" : file.name] + file.arguments
    let run = try Child.run(
      launcher + command, in: folder,
      input: file.name == "-" ? String(decoding: file.bytes, as: UTF8.self) : "")
    let location = file.location
    #expect(run.end == .exit(file.code), "\(run.errors)", sourceLocation: location)
    #expect(
      file.says.isEmpty || run.errors.contains(file.says), "\(run.errors)",
      sourceLocation: location)
    #expect(!run.errors.contains("@"), "\(run.errors)", sourceLocation: location)
    let export = try Child.run(["enlist", "export"], in: folder)
    let people = export.output.split(separator: "\r\n").dropFirst().map { row in
      row.split(separator: ",")[1...2].joined(separator: ",")
    }
    #expect(people == file.people, "\(export.errors)", sourceLocation: location)
  }
}
