import Glibc
import Platform
import TestSupport
import Testing

@testable import enlist

/// Settings whose value is the content of a file.
@Suite struct ValueFileTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private func settings(
    flags: [String: String] = [:], environment: [String: String]
  ) throws(SettingError) -> Settings {
    try .read(flags, environment: environment)
  }

  @Test(arguments: [
    "7s", "7s\n", "7s\r\n", "7s\r", "7s\n\n", "7s\r\n\r\n", "7s\r\r\n", "\u{FEFF}7s\n",
  ])
  func `a file variable sets the content of the file without line ends and byte order mark`(
    _ text: String
  ) throws {
    let path = try folder.write(text, to: "drain")
    #expect(try settings(environment: ["ENLIST_DRAIN_FILE": path]).drain == .seconds(7))
  }

  @Test(arguments: ["7s \n", " 7s", "\n7s", "7s\n\n7s", "7s\u{2028}", "7s\u{FEFF}", ""])
  func `other white space in a value file is part of the value`(_ text: String) throws {
    let path = try folder.write(text, to: "drain")
    #expect(throws: SettingError.self) { try settings(environment: ["ENLIST_DRAIN_FILE": path]) }
  }

  @Test(arguments: ["horse\n", "horse\r", "horse\r\n\n", "\u{FEFF}horse\r\n"])
  func `a password is sent without what an editor adds to its file`(_ text: String) throws {
    let path = try folder.write(text, to: "password")
    #expect(
      try settings(environment: ["ENLIST_SMTP_PASSWORD_FILE": path]).smtpPassword?.text == "horse")
  }

  @Test(arguments: ["horse\nuser", "horse\r\n\r\nuser", "\n"])
  func `a file with more than a password is rejected`(_ text: String) throws {
    let path = try folder.write(text, to: "password")
    let error = #expect(throws: SettingError.self) {
      try settings(environment: ["ENLIST_SMTP_PASSWORD_FILE": path])
    }
    let reason = "the content of the file is invalid; expected none, or a password of one line"
    #expect(error?.reason == reason)
  }

  @Test func `every setting can be read from a file`() throws {
    for row in SettingTable.rows {
      let variable =
        "ENLIST_" + row.name.uppercased().split(separator: "-").joined(separator: "_") + "_FILE"
      let error = #expect(throws: SettingError.self, "\(row.name)") {
        try settings(environment: [variable: folder("nowhere")])
      }
      #expect(error?.setting == variable)
    }
  }

  @Test func `only the variable of --secret-file equals another setting's file variable`() {
    let names = Set(SettingTable.rows.map(\.name) + ["config"])
    #expect(names.filter { names.contains("\($0)-file") } == ["secret"])
  }

  @Test func `a value file overrides the settings file, and a flag overrides both`() throws {
    let path = try folder.write("7s", to: "drain")
    let configuration = try folder.write(#"{"drain": "8s"}"#, to: "settings.json")
    let environment = ["ENLIST_DRAIN_FILE": path, "ENLIST_CONFIG": configuration]
    #expect(try settings(environment: environment).drain == .seconds(7))
    #expect(try settings(flags: ["drain": "9s"], environment: environment).drain == .seconds(9))
  }

  @Test func `a value that is read from a file is not shown, as it may be secret`() throws {
    let path = try folder.write("7s", to: "drain")
    let sources = SettingSources([:], environment: ["ENLIST_DRAIN_FILE": path])
    let shown = sources.line(SettingTable.all.drain)
    #expect(shown.text == HiddenText.mark && shown.source == "ENLIST_DRAIN_FILE: \(path)")
  }

  @Test func `the path of the settings file can be read from a file`() throws {
    let configuration = try folder.write(#"{"drain": "8s"}"#, to: "settings.json")
    let path = try folder.write(configuration + "\n", to: "config")
    #expect(try settings(environment: ["ENLIST_CONFIG_FILE": path]).drain == .seconds(8))
  }

  @Test(arguments: ["DRAIN", "CONFIG", "DATABASE"])
  func `a value and a file for the same setting are an error`(_ name: String) throws {
    let path = try folder.write("7s", to: "value")
    let variable = "ENLIST_\(name)"
    let expected = SettingError(
      setting: "\(variable)_FILE", value: path,
      reason: "\(variable) is also set; set only one of them")
    for flags in [[:], ["drain": "1s", "database": "sqlite:x"]] {
      #expect(throws: expected) {
        try settings(flags: flags, environment: [variable: "7s", "\(variable)_FILE": path])
      }
    }
  }

  /// An image may set variables, and its users can only empty them, not unset them.
  @Test func `an empty value does not conflict with a file`() throws {
    let path = try folder.write("7s", to: "drain")
    let environment = ["ENLIST_DRAIN": "", "ENLIST_DRAIN_FILE": path]
    #expect(try settings(environment: environment).drain == .seconds(7))
  }

  @Test func `the error for an invalid value in a file does not show the value`() throws {
    let path = try folder.write("postgres://u:secret@h", to: "database")
    let error = #expect(throws: SettingError.self) {
      try settings(environment: ["ENLIST_DATABASE_FILE": path])
    }
    #expect(error?.setting == "ENLIST_DATABASE_FILE")
    #expect(error?.value == path)
    #expect(error?.description.contains("secret") == false)
    #expect(error?.description.contains("expected sqlite:PATH") == true)
  }

  @Test(
    arguments: [
      ("nowhere", "the file cannot be read: No such file or directory"),
      (".", "the file cannot be read: Is a directory"),
      ("long", "the file is longer than 65536 bytes"),
      ("latin-1", "the file is not UTF-8"),
    ]
  )
  func `the error for an unusable value file names the variable`(
    _ name: String, _ reason: String
  ) throws {
    try folder.write(String(repeating: "x", count: 65_537), to: "long")
    try writeBytes([0x73, 0xE9, 0x63], to: "latin-1")
    let path = folder(name)
    #expect(throws: SettingError(setting: "ENLIST_DRAIN_FILE", value: path, reason: reason)) {
      try settings(environment: ["ENLIST_DRAIN_FILE": path])
    }
  }

  @Test(arguments: ["ENLIST_CONFIG", "ENLIST_DRAIN_FILE", "ENLIST_SECRET_FILE"])
  func `a pipe to which no program writes is reported, without waiting`(_ name: String) throws {
    let path = folder("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    let reason = "the file is a pipe, and no program writes to it"
    #expect(throws: SettingError(setting: name, value: path, reason: reason)) {
      try settings(environment: [name: path])
    }
  }

  /// What a shell passes as `/dev/fd/63` for `<(…)`; its program may have ended, or still be writing
  /// what the pipe has no room for.
  @Test(arguments: [0, 200_000])
  func `a pipe to which a program writes is read to its end`(_ blanks: Int) throws {
    let (readEnd, writeEnd) = try Pipe.make()
    defer { close(readEnd) }
    let write: @Sendable () -> Void = {
      defer { close(writeEnd) }
      let text = String(repeating: " ", count: blanks) + #"{"drain": "8s"}"#
      try? OutputStream(descriptor: writeEnd).write(line: text)
    }
    if blanks > 0 { NamedThread.start("writer", write) } else { write() }
    #expect(try settings(environment: ["ENLIST_CONFIG": "/dev/fd/\(readEnd)"]).drain == .seconds(8))
  }

  private func writeBytes(_ bytes: [UInt8], to name: String) throws {
    let path = folder(name)
    let descriptor = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try OutputStream(descriptor: descriptor).write(bytes)
  }
}
