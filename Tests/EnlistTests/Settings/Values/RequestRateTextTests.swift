import HTTPSignals
import Testing

@testable import enlist

@Suite struct RequestRateTextTests {
  @Test(
    arguments: [
      ("off", .unlimited),
      ("30/10m", .limited(count: 30, per: .seconds(600))),
      ("1/1s", .limited(count: 1, per: .seconds(1))),
      ("10000/24h", .limited(count: 10_000, per: .seconds(86_400))),
    ] as [(String, RequestRate)]
  )
  func `a request rate is parsed`(text: String, rate: RequestRate) {
    #expect(SettingKind.rate.read(text) == rate)
  }

  @Test(
    arguments: [
      "", "30", "30/", "/10m", "0/10m", "10001/10m", "-1/10m", "+1/10m", "30/999ms", "30/25h",
      "30/10", "30 / 10m", "30/10m/1", "OFF", "٣/10m",
    ]
  )
  func `an invalid request rate is rejected`(text: String) {
    #expect(SettingKind.rate.read(text) == nil)
  }
}
