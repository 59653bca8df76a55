import Foundation
import TestSupport
import Testing

@testable import enlist

/// What the program says to command lines with settings, line by line as in `Tests/Golden`.
@Suite struct SettingsGoldenTests {
  private static let files = Repository.root.appending(path: "Tests/Golden")

  // MARK: Each setting, from each source

  enum Source: CaseIterable {
    case flags, variables, valueFiles, settingsFile
  }

  /// `settings.json` has a valid value of each setting that can be set together with the others.
  @Test(arguments: Source.allCases)
  func `each setting is read from each source, and shown with it`(_ source: Source) throws {
    let values = try JSONDecoder().decode(
      [String: String].self,
      from: Data(contentsOf: Self.files.appending(path: "settings.json")))
    let others = ["mail-to-directory", "secret-file"]
    #expect((values.keys + others).sorted() == SettingTable.rows.map(\.name).sorted())
    let folder = try folder()
    let run = try check(values, from: source, in: folder).expect(0)
    let lines = Set(run.output.split(separator: "\n").map(String.init))
    for (name, value) in values {
      let isHidden = source == .valueFiles || ["secret", "smtp-password"].contains(name)
      let line = "\(name) = \(isHidden ? "***" : value) (\(Self.origin(of: name, source)))"
      #expect(lines.contains(line), "\(line) in \(run.output)")
    }
    #expect(!(run.output + run.errors).contains("correct-horse"))
  }

  /// No setting may be empty.
  @Test(arguments: Source.allCases)
  func `an invalid value of each setting is reported with its source`(_ source: Source) throws {
    let rows = SettingTable.rows.filter { $0.name != "secret-file" }
    let values = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, "") })
    let run = try check(values, from: source, in: folder()).expect(64)
    #expect(run.output.isEmpty)
    let expected = rows.map { row in
      let (origin, isFile) = (Self.origin(of: row.name, source), source == .valueFiles)
      let value = isFile ? "file-\(row.name)" : row.isSecret ? "***" : ""
      let fault = (isFile ? "the content of the file is invalid; " : "") + row.fault(of: "")
      let name = isFile ? String(origin.prefix { $0 != ":" }) : origin
      return "enlist: invalid value \"\(value)\" for \(name): \(fault)"
    }
    #expect(run.errors.split(separator: "\n").map(String.init) == expected)
  }

  private func check(
    _ values: [String: String], from source: Source, in folder: Folder
  ) throws -> Child.Outcome {
    var (flags, variables) = (["enlist", "serve", "--check"], [String: String]())
    switch source {
    // The argument parser takes "--name=" for a flag without a value.
    case .flags: flags += values.flatMap { $1.isEmpty ? ["--\($0)", ""] : ["--\($0)=\($1)"] }
    case .variables: for (name, text) in values { variables[SettingSources.variable(name)] = text }
    case .valueFiles:
      for (name, text) in values {
        try folder.write(text, to: "file-\(name)")
        variables[SettingSources.variable("\(name)-file")] = "file-\(name)"
      }
    case .settingsFile:
      let text = try JSONEncoder().encode(values)
      try folder.write(String(decoding: text, as: UTF8.self), to: "a.json")
      flags += ["--config", "a.json"]
    }
    for name in try folder.names { chmod(folder(name), 0o700) }
    return try Child.run(flags, in: folder, environment: variables)
  }

  private static func origin(of name: String, _ source: Source) -> String {
    switch source {
    case .flags: "--\(name)"
    case .variables: SettingSources.variable(name)
    case .valueFiles: "\(SettingSources.variable("\(name)-file")): file-\(name)"
    case .settingsFile: "\(name) in a.json"
    }
  }

  /// A folder with the files that `settings.json` names.
  private func folder() throws -> Folder {
    let folder = try Folder()
    try TestCertificate().write(to: folder)
    try FileManager.default.copyItem(atPath: folder("tls.crt"), toPath: folder("ca.pem"))
    try folder.write("<svg/>", to: "logo.svg")
    try folder.write("a {}", to: "style.css")
    for name in ["texts", "templates"] {
      try FileManager.default.createDirectory(
        atPath: folder(name), withIntermediateDirectories: false)
    }
    return folder
  }

  // MARK: Command lines

  /// Each line that begins with `$` is for a shell in an empty folder.
  ///
  /// The lines after it are what it prints, and its exit code. `$EMPTY` sets the variable of each
  /// setting to the empty text.
  @Test func `command lines with settings print what the golden file says`() throws {
    let file = Self.files.appending(path: "settings.txt")
    let golden = try String(contentsOf: file, encoding: .utf8)
    let blocks = try golden.dropLast().split(separator: "\n\n").map { block in
      let lines = block.split(separator: "\n")
      let start = lines.firstIndex { $0.hasPrefix("$ ") }
      let command = try #require(start, "\(block)")
      let heading = lines[...command].joined(separator: "\n")
      let text = try heading + "\n" + Self.transcript(of: String(lines[command].dropFirst(2)))
      #expect(text == block)
      return text
    }
    if ProcessInfo.processInfo.environment["ENLIST_WRITE_DOCUMENTS"] == "1" {
      try (blocks.joined(separator: "\n\n") + "\n").write(
        to: file, atomically: true, encoding: .utf8)
    }
  }

  /// Runs a line; returns what it prints, without settings that are unset and without warnings that
  /// depend on the machine.
  private static func transcript(of line: String) throws -> String {
    let rows = SettingTable.rows.filter { $0.name != "secret-file" }
    let empty = rows.map { "\(SettingSources.variable($0.name))=" }.joined(separator: " ")
    let run = try Child.run(
      ["sh", "-c", line], in: Folder(), environment: ["EMPTY": empty, "ENLIST_LOG_LEVEL": "error"])
    guard case .exit(let code) = run.end else { return "\(run.end)" }
    let unimportant = ["(default)", "(ENLIST_LOG_LEVEL)", "nor --mail-to-directory is set)"]
    let lines = (run.errors + run.output).split(separator: "\n").filter { line in
      !line.contains("; lowering ") && !unimportant.contains { line.hasSuffix($0) }
    }
    return (lines + ["exit \(code)"]).joined(separator: "\n")
  }
}
