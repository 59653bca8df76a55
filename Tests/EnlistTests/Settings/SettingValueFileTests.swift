import Glibc
import TestSupport
import Testing

@testable import enlist

/// Settings whose value the environment keeps in a file.
@Suite struct SettingValueFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func settings(
    flags: [String: String] = [:],
    environment: [String: String]
  ) throws(SettingError) -> Settings {
    try Settings(SettingLayers(flags: flags, configuration: nil, environment: environment))
  }

  @Test(arguments: ["7s", "7s\n"])
  func `a variable of a file sets what the file holds, without one newline`(
    _ text: String
  ) throws {
    let path = try folder.write(text, to: "drain")
    #expect(try settings(environment: ["ENLIST_DRAIN_FILE": path]).drain == .seconds(7))
  }

  @Test(arguments: ["7s\n\n", "7s \n", " 7s", "\n7s", ""])
  func `what else is in the file belongs to the value`(_ text: String) throws {
    let path = try folder.write(text, to: "drain")
    #expect(throws: SettingError.self) { try settings(environment: ["ENLIST_DRAIN_FILE": path]) }
  }

  @Test func `every setting can be read from a file`() throws {
    for row in SettingTable.rows {
      let variable =
        "ENLIST_" + row.name.uppercased().split(separator: "-").joined(separator: "_") + "_FILE"
      let error = #expect(throws: SettingError.self, "\(row.name)") {
        try settings(environment: [variable: folder.path(of: "nowhere")])
      }
      #expect(error?.setting == variable)
    }
  }

  @Test func `no setting's variable is another one's variable of a file`() {
    let names = Set(SettingTable.rows.map(\.name) + ["config"])
    #expect(names.allSatisfy { !names.contains("\($0)-file") })
  }

  @Test func `a file goes over the configuration file and under a flag`() throws {
    let path = try folder.write("7s", to: "drain")
    let configuration = try folder.write(#"{"drain": "8s"}"#, to: "settings.json")
    let environment = ["ENLIST_DRAIN_FILE": path, "ENLIST_CONFIG": configuration]
    #expect(try settings(environment: environment).drain == .seconds(7))
    #expect(try settings(flags: ["drain": "9s"], environment: environment).drain == .seconds(9))
  }

  @Test func `the path of the configuration file can be in a file`() throws {
    let configuration = try folder.write(#"{"drain": "8s"}"#, to: "settings.json")
    let path = try folder.write(configuration + "\n", to: "config")
    #expect(try settings(environment: ["ENLIST_CONFIG_FILE": path]).drain == .seconds(8))
  }

  @Test(arguments: ["DRAIN", "CONFIG", "DATABASE"])
  func `a value and a file together are an error`(_ name: String) throws {
    let path = try folder.write("7s", to: "value")
    let variable = "ENLIST_\(name)"
    let expected = SettingError(
      setting: "\(variable)_FILE",
      value: path,
      reason: "\(variable) is set as well; set only one of them"
    )
    for flags in [[:], ["drain": "1s", "database": "sqlite:x"]] {
      #expect(throws: expected) {
        try settings(flags: flags, environment: [variable: "7s", "\(variable)_FILE": path])
      }
    }
  }

  /// An image sets variables, and who uses it can empty them only.
  @Test func `an empty value beside a file does not count`() throws {
    let path = try folder.write("7s", to: "drain")
    let environment = ["ENLIST_DRAIN": "", "ENLIST_DRAIN_FILE": path]
    #expect(try settings(environment: environment).drain == .seconds(7))
  }

  @Test func `a value that is not allowed is an error that does not show it`() throws {
    let path = try folder.write("postgres://u:secret@h", to: "database")
    let error = #expect(throws: SettingError.self) {
      try settings(environment: ["ENLIST_DATABASE_FILE": path])
    }
    #expect(error?.setting == "ENLIST_DATABASE_FILE")
    #expect(error?.value == path)
    #expect(error?.description.contains("secret") == false)
    #expect(error?.description.contains("allowed is sqlite:PATH") == true)
  }

  @Test(
    arguments: [
      ("nowhere", "the file cannot be read: No such file or directory"),
      (".", "the file cannot be read: Is a directory"),
      ("long", "the file is longer than 65536 bytes"),
      ("latin-1", "the file is not UTF-8"),
    ]
  )
  func `a file that cannot be used is an error that names its variable`(
    _ name: String,
    _ reason: String
  ) throws {
    try folder.write(String(repeating: "x", count: 65_537), to: "long")
    try writeBytes([0x73, 0xE9, 0x63], to: "latin-1")
    let path = folder.path(of: name)
    #expect(
      throws: SettingError(setting: "ENLIST_DRAIN_FILE", value: path, reason: reason)
    ) {
      try settings(environment: ["ENLIST_DRAIN_FILE": path])
    }
  }

  @Test func `the program reads a file`() throws {
    try folder.write("nowhere\n", to: "listen")
    let process = try ChildProcess(
      "enlist",
      environment: ["ENLIST_LISTEN_FILE": "listen"],
      in: folder
    )
    #expect(try process.wait() == .exit(64))
    #expect(process.standardError.hasPrefix("enlist: ENLIST_LISTEN_FILE is \"listen\": "))
  }

  private func writeBytes(_ bytes: [UInt8], to name: String) throws {
    let path = folder.path(of: name)
    let descriptor = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try OutputStream(descriptor: descriptor).write(bytes)
  }
}
