import Signals
import TestSupport
import Testing

@testable import enlist

/// Flags, variables of the environment, and the settings file.
@Suite struct SettingSourcesTests {
  private let folder: Folder
  private let file: String

  init() throws {
    folder = try Folder()
    file = try folder.write(#"{"drain": "3s", "threads": 3}"#, to: "settings.json")
  }

  private func settings(
    flags: [String: String] = [:], file: String? = nil, environment: [String: String] = [:]
  ) throws(SettingError) -> Settings {
    try .read(flags.merging(file.map { ["config": $0] } ?? [:]) { $1 }, environment: environment)
  }

  @Test func `flags override the environment, which overrides the file and the defaults`() throws {
    let flags = ["drain": "1s"]
    let environment = ["ENLIST_DRAIN": "2s"]
    #expect(try settings(flags: flags, file: file, environment: environment).drain == .seconds(1))
    #expect(try settings(file: file, environment: environment).drain == .seconds(2))
    #expect(try settings(file: file).drain == .seconds(3))
    #expect(try settings().drain == .seconds(5))
  }

  @Test func `environment variables are upper-case setting names with the prefix ENLIST`() throws {
    let environment = ["ENLIST_MAX_CONNECTIONS": "7", "ENLIST_CONFIG": file]
    let settings = try settings(environment: environment)
    #expect(settings.maxConnections == 7)
    #expect(settings.threads == 3)
  }

  @Test func `a malformed value is an error and does not fall through to the source below`() {
    #expect(
      throws: SettingError(
        setting: "ENLIST_THREADS", value: "many", reason: "expected a whole number from 1 to 256")
    ) {
      try settings(file: file, environment: ["ENLIST_THREADS": "many"])
    }
  }

  @Test func `an empty value is an error and does not count as unset`() {
    #expect(throws: SettingError.self) { try settings(environment: ["ENLIST_DRAIN": ""]) }
  }

  @Test(arguments: ["ENLIST_THREADZ", "ENLIST_threads", "ENLIST_MAX-BODY"])
  func `a variable that names no setting is reported, and has no effect`(
    _ variable: String
  ) throws {
    let sources = SettingSources([:], environment: [variable: "many"])
    #expect(sources.unknownVariables.map(\.setting) == [variable])
    #expect(throws: Never.self) { try Settings(sources) }
  }

  @Test func `all invalid settings are reported, from every source`() throws {
    let path = try folder.write(#"{"drain": "often"}"#, to: "wrong.json")
    let sources = SettingSources(
      ["threads": "many", "config": path], environment: ["ENLIST_MAX_BODY": "1KB"])
    let errors = #expect(throws: SettingErrors.self) { try Settings(sources) }
    #expect(
      errors?.all.map(\.setting).sorted()
        == ["--threads", "ENLIST_MAX_BODY", "drain in \(path)"])
  }

  @Test(
    arguments: [
      (#"{"lisen": "x"}"#, "unknown setting \"lisen\"; known settings: listen, "),
      (#"{"config": "x"}"#, "unknown setting \"config\"; known settings: "),
      (#"{"drain-file": "x"}"#, "unknown setting \"drain-file\"; known settings: "),
      (#"{"threads": true}"#, "\"threads\" must be a string or a number"),
      (#"{"threads": null}"#, "\"threads\" must be a string or a number"),
      (#"{"threads": [1]}"#, "\"threads\" must be a string or a number"),
      (#"["threads"]"#, "the file must be a JSON object"),
      ("", "the file must be a JSON object"),
    ]
  )
  func `a settings file with invalid content is rejected`(_ text: String, _ reason: String) throws {
    let path = try folder.write(text, to: "wrong.json")
    let error = #expect(throws: SettingError.self) { try settings(file: path) }
    #expect(error?.setting == "--config")
    #expect(error?.value == path)
    #expect(error?.reason.hasPrefix(reason) == true)
  }

  @Test func `a missing settings file is rejected, with the source of its path`() {
    let path = folder("none.json")
    let reason = "the file cannot be read: No such file or directory"
    #expect(throws: SettingError(setting: "--config", value: path, reason: reason)) {
      try settings(file: path)
    }
    #expect(throws: SettingError(setting: "ENLIST_CONFIG", value: path, reason: reason)) {
      try settings(environment: ["ENLIST_CONFIG": path])
    }
  }

  @Test func `a file with the path of the settings file is named if it cannot be read`() throws {
    let reason = "the file cannot be read: No such file or directory"
    let path = folder("none")
    #expect(throws: SettingError(setting: "ENLIST_CONFIG_FILE", value: path, reason: reason)) {
      try settings(environment: ["ENLIST_CONFIG_FILE": path])
    }
    let file = try folder.write("none.json\n", to: "path")
    #expect(throws: SettingError(setting: "ENLIST_CONFIG_FILE", value: "none.json", reason: reason))
    {
      try settings(environment: ["ENLIST_CONFIG_FILE": file])
    }
  }

  @Test func `a text is converted once`() throws {
    let count = Lock(0)
    let kind = SettingKind<Int>("a number") { text in
      count.withLock { $0 += 1 }
      return Int(text)
    }
    let row = Setting("threads", 1, kind, "")
    let settings = try Settings(SettingSources(["threads": "3"], of: [row], environment: [:]))
    #expect(settings.threads == 3)
    #expect(settings.threads == 3)
    #expect(settings.lines.first?.text == "3")
    #expect(count.withLock { $0 } == 1)
  }

  @Test func `a command does not read the settings of others`() throws {
    let path = try folder.write(#"{"drain": "often"}"#, to: "wrong.json")
    let sources = SettingSources(
      ["config": path], of: DatabaseSettings.rows,
      environment: ["ENLIST_THREADS": "many", "ENLIST_MAX_BODY_FILE": folder("none")])
    #expect(throws: Never.self) { try Settings(sources) }
    #expect(sources.unknownVariables.isEmpty)
  }

  @Test func `a setting error is one line even if the value has line breaks`() {
    let error = SettingError(setting: "--x", value: "a\r\nb\u{1B}[2J", reason: "no")
    #expect(error.description == #"invalid value "a\r\nb\u{1b}[2J" for --x: no"#)
  }
}
