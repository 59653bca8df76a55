import Logging
import MailingList
import TestSupport
import Testing

@testable import enlist

@Suite struct SettingLayersTests {
  private let folder: Folder
  private let file: String

  init() throws {
    folder = try Folder()
    file = try folder.write(#"{"drain": "3s", "threads": 3}"#, to: "settings.json")
  }

  private func settings(
    flags: [String: String] = [:], file: String? = nil, environment: [String: String] = [:]
  ) throws(SettingError) -> Settings {
    var flags = flags
    flags["config"] = file
    return try Settings(SettingLayers(flags: flags, environment: environment))
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

  @Test func `the defaults match the documentation`() throws {
    let settings = try settings()
    #expect(settings.listen.description == "127.0.0.1:8080")
    #expect(settings.database == .sqlite(path: "enlist.sqlite"))
    #expect(settings.databaseTimeout == .seconds(5))
    #expect(settings.statusStream == .public)
    #expect(settings.commandScope == .address)
    #expect(settings.threads >= 1)
    #expect(settings.maxConnections == 20_000)
    #expect(settings.maxStreams == 10_000)
    #expect(settings.requestTimeout == .seconds(30))
    #expect(settings.drain == .seconds(5))
    #expect(settings.maxBody.bytes == 16_384)
    #expect(settings.maxStreamsPerClient == 20)
    #expect(settings.heartbeat == .seconds(15))
    #expect(settings.streamLifetime == .seconds(480) ... .seconds(600))
    #expect(settings.streamStall == .seconds(10))
    #expect(settings.streamHistory == 8192)
    #expect(settings.executionHistory == .seconds(600))
    #expect(settings.logLevel == .info)
    #expect(settings.logFormat == .text)
  }

  @Test func `a malformed value is an error and does not fall through to the layer below`() {
    #expect(
      throws: SettingError(
        setting: "ENLIST_THREADS", value: "many", reason: "expected a whole number from 1 to 256")
    ) {
      try settings(file: file, environment: ["ENLIST_THREADS": "many"])
    }
  }

  @Test(arguments: ["10m..8m", "8m..", "8m..10m..12m", "1ms..1s", "1s..25h", "8..10"])
  func `a malformed or out-of-bounds range of durations is an error`(_ text: String) {
    #expect(
      throws: SettingError(
        setting: "ENLIST_STREAM_LIFETIME", value: text,
        reason: "expected a duration, or a range such as 8m..10m, from 10ms to 1d")
    ) {
      try settings(environment: ["ENLIST_STREAM_LIFETIME": text])
    }
  }

  @Test func `an empty value is an error and does not count as unset`() {
    #expect(throws: SettingError.self) { try settings(environment: ["ENLIST_DRAIN": ""]) }
  }

  @Test func `an unknown environment variable is ignored`() throws {
    #expect(throws: Never.self) { try settings(environment: ["ENLIST_THREADZ": "many"]) }
  }

  @Test(
    arguments: [
      (#"{"lisen": "x"}"#, "unknown setting \"lisen\"; known settings: listen, "),
      (#"{"config": "x"}"#, "unknown setting \"config\"; known settings: "),
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

  @Test func `a missing settings file is rejected`() {
    #expect(throws: SettingError.self) { try settings(file: folder("none.json")) }
  }

  @Test func `a setting error is one line even if the value has line breaks`() {
    let error = SettingError(setting: "--x", value: "a\r\nb\u{1B}[2J", reason: "no")
    #expect(error.description == #"invalid value "a\r\nb\u{1b}[2J" for --x: no"#)
  }
}
