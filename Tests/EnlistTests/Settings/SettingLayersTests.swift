import Logging
import MailingList
import TestSupport
import Testing

@testable import enlist

@Suite struct SettingLayersTests {
  private let folder: TemporaryFolder
  private let file: String

  init() throws {
    folder = try TemporaryFolder()
    file = try folder.write(#"{"drain": "3s", "threads": 3}"#, to: "settings.json")
  }

  private func settings(
    flags: [String: String] = [:],
    file: String? = nil,
    environment: [String: String] = [:]
  ) throws(SettingError) -> Settings {
    try Settings(
      SettingLayers(flags: flags, configuration: file, environment: environment)
    )
  }

  @Test func `a flag goes over the environment, over the file, over the default`() throws {
    let flags = ["drain": "1s"]
    let environment = ["ENLIST_DRAIN": "2s"]
    #expect(
      try settings(flags: flags, file: file, environment: environment).drain == .seconds(1)
    )
    #expect(try settings(file: file, environment: environment).drain == .seconds(2))
    #expect(try settings(file: file).drain == .seconds(3))
    #expect(try settings().drain == .seconds(5))
  }

  @Test func `the environment names settings and the file in capitals`() throws {
    let environment = ["ENLIST_MAX_CONNECTIONS": "7", "ENLIST_CONFIG": file]
    let settings = try settings(environment: environment)
    #expect(settings.maxConnections == 7)
    #expect(settings.threads == 3)
  }

  @Test func `the defaults are those of the documentation`() throws {
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

  @Test func `a malformed value is an error, not the layer below`() {
    #expect(
      throws: SettingError(
        setting: "ENLIST_THREADS",
        value: "many",
        reason: "allowed is a whole number from 1 to 256"
      )
    ) {
      try settings(file: file, environment: ["ENLIST_THREADS": "many"])
    }
  }

  @Test(arguments: ["10m..8m", "8m..", "8m..10m..12m", "1ms..1s", "1s..25h", "8..10"])
  func `a range of times that is none, or too wide, is an error`(_ text: String) {
    #expect(
      throws: SettingError(
        setting: "ENLIST_STREAM_LIFETIME",
        value: text,
        reason: "allowed is a time, or two such as 8m..10m, from 10ms to 24h"
      )
    ) {
      try settings(environment: ["ENLIST_STREAM_LIFETIME": text])
    }
  }

  @Test func `an empty value is an error, not a missing one`() {
    #expect(throws: SettingError.self) { try settings(environment: ["ENLIST_DRAIN": ""]) }
  }

  @Test func `an unknown variable is nobody's business`() throws {
    #expect(throws: Never.self) { try settings(environment: ["ENLIST_SERVICE_HOST": "10.0.0.1"]) }
  }

  @Test(
    arguments: [
      (#"{"lisen": "x"}"#, "\"lisen\" is no setting"),
      (#"{"config": "x"}"#, "\"config\" is no setting"),
      (#"{"threads": true}"#, "\"threads\" must be text or a number"),
      (#"{"threads": null}"#, "\"threads\" must be text or a number"),
      (#"{"threads": [1]}"#, "\"threads\" must be text or a number"),
      (#"["threads"]"#, "the file must be a JSON object"),
      ("", "the file must be a JSON object"),
    ]
  )
  func `a file with anything but settings is rejected`(_ text: String, _ reason: String) throws {
    let path = try folder.write(text, to: "wrong.json")
    let error = #expect(throws: SettingError.self) { try settings(file: path) }
    #expect(error?.setting == "--config")
    #expect(error?.value == path)
    #expect(error?.reason.hasPrefix(reason) == true)
  }

  @Test func `a file that is not there is rejected`() {
    #expect(throws: SettingError.self) { try settings(file: folder.path(of: "none.json")) }
  }

  @Test func `an error is one line, whatever the value`() {
    let error = SettingError(setting: "--x", value: "a\r\nb\u{1B}[2J", reason: "no")
    #expect(error.description == #"--x is "a\r\nb\u{1b}[2J": no"#)
  }
}
