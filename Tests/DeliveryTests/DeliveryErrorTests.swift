import Delivery
import Testing

@Suite struct DeliveryErrorTests {
  @Test func `describes the result, the step and the status`() {
    let failure = DeliveryFailure(step: .rcpt, status: 550, enhancedStatus: EnhancedStatus(5, 1, 1))
    #expect(DeliveryError.rejected(failure).description == "rejected at RCPT: 550 5.1.1")
    #expect(
      DeliveryError.relayUnavailable(DeliveryFailure(step: .connect)).description
        == "relay unavailable at connect"
    )
    #expect(
      DeliveryError.deferred(DeliveryFailure(step: .text, status: 451)).description
        == "deferred at text: 451"
    )
    #expect(DeliveryError.unknown(failure).failure == failure)
  }

  @Test func `the cause is libcurl's fixed text and its code`() {
    let failure = DeliveryFailure(step: .tls, transferCode: 60)
    #expect(failure.cause?.hasSuffix("(curl 60)") == true)
    #expect(failure.cause?.contains("certificate") == true)
    #expect(DeliveryError.relayUnavailable(failure).description == "relay unavailable at TLS")
    #expect(DeliveryFailure(step: .rcpt, status: 550).cause == nil)
  }

  @Test(arguments: ["5.1.1", "4.0.0", "2.999.999"])
  func `an enhanced status survives the round trip through text`(text: String) {
    #expect(EnhancedStatus(text)?.description == text)
  }

  @Test(
    arguments: [
      "", "5", "5.1", "5.1.1.1", "3.1.1", "55.1.1", "5.1.1000", "5..1", "5.1.x", "5.1.-1",
    ]
  )
  func `rejects text that is not an enhanced status`(text: String) {
    #expect(EnhancedStatus(text) == nil)
  }
}
