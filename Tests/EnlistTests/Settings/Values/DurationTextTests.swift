import Testing

@testable import enlist

@Suite struct DurationTextTests {
  @Test(
    arguments: [
      ("250ms", .milliseconds(250)), ("30s", .seconds(30)), ("5m", .seconds(300)),
      ("1h", .seconds(3600)), ("0", .zero), ("0s", .zero),
    ] as [(String, Duration)]
  )
  func `a duration is parsed from a whole number and a unit`(_ text: String, _ duration: Duration) {
    #expect(DurationText.duration(of: text) == duration)
  }

  @Test(
    arguments: [
      "", "30", "s", "-1s", "+1s", "1.5s", " 1s", "1s ", "1 s", "1w", "1S", "1m30s", "٣s",
      "99999999999999999999s", "9223372036854775807h", "1000000h",
    ]
  )
  func `an invalid duration is rejected`(_ text: String) {
    #expect(DurationText.duration(of: text) == nil)
  }

  @Test func `a range of durations is parsed`() {
    #expect(DurationText.range(of: "8m..10m") == .seconds(480) ... .seconds(600))
  }

  @Test func `a single duration is parsed as a range with equal bounds`() {
    #expect(DurationText.range(of: "8m") == .seconds(480) ... .seconds(480))
  }

  @Test(arguments: ["10m..8m", "8m.10m", "8m...10m", "..8m", "8m..", "..", "8..10m"])
  func `an invalid range of durations is rejected`(_ text: String) {
    #expect(DurationText.range(of: text) == nil)
  }

  @Test(arguments: ["0s", "250ms", "1500ms", "30s", "90s", "5m", "1h"])
  func `a duration is formatted in the format that is parsed`(_ text: String) throws {
    let duration = try #require(DurationText.duration(of: text))
    #expect(DurationText.text(of: duration) == text)
  }
}
