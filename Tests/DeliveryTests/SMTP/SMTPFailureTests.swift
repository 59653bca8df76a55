import CCurl
import Testing

@testable import Delivery

@Suite struct SMTPFailureTests {
  private typealias Step = DeliveryFailure.Step

  private static let stepsBeforeRecipient: [Step] = [
    .connect, .greeting, .ehlo, .tls, .auth, .mail,
  ]

  @Test(arguments: stepsBeforeRecipient, [421, 450, 451, 454, 500, 530, 535, 550, 554])
  func `a reply before RCPT means that the relay is unavailable`(
    _ step: DeliveryFailure.Step, _ status: Int
  ) {
    let enhanced = EnhancedStatus(status / 100, 7, 8)
    #expect(
      SMTPFailure.reply(SMTPReply(status, enhanced)).error(at: step, isUnusual: false)
        == .relayUnavailable(DeliveryFailure(step: step, status: status, enhancedStatus: enhanced))
    )
  }

  @Test(
    arguments: stepsBeforeRecipient, [6, 7, 8, 9, 28, 35, 55, 56, 58, 60, 64, 67, 77] as [UInt32])
  func `no reply before RCPT means that the relay is unavailable`(
    _ step: DeliveryFailure.Step, _ code: UInt32
  ) {
    let expected: DeliveryFailure.Step =
      switch code {
      case 6, 7: .connect
      case 35, 58, 60, 64, 77: .tls
      case 67: .auth
      default: step
      }
    #expect(
      SMTPFailure.code(CURLcode(rawValue: code)).error(at: step, isUnusual: false)
        == .relayUnavailable(DeliveryFailure(step: expected, transferCode: code))
    )
  }

  @Test(arguments: [.rcpt, .text] as [DeliveryFailure.Step], [8, 28, 42, 55, 56] as [UInt32])
  func `no reply from RCPT on leaves open whether the mail was accepted`(
    _ step: DeliveryFailure.Step, _ code: UInt32
  ) {
    #expect(
      SMTPFailure.code(CURLcode(rawValue: code)).error(at: step, isUnusual: false)
        == .unknown(DeliveryFailure(step: step, transferCode: code))
    )
  }

  /// A reply at a step, and the name of the error that it leads to.
  struct Row: Sendable, CustomTestStringConvertible {
    let step: DeliveryFailure.Step
    let status: Int
    let enhanced: String?
    let expected: String

    init(_ step: DeliveryFailure.Step, _ status: Int, _ enhanced: String?, _ expected: String) {
      self.step = step
      self.status = status
      self.enhanced = enhanced
      self.expected = expected
    }

    var testDescription: String { "\(step) \(status) \(enhanced ?? "-")" }
  }

  @Test(
    arguments: [
      Row(.rcpt, 550, "5.1.1", "rejected"), Row(.rcpt, 550, "5.1.0", "not accepted"),
      Row(.rcpt, 553, "5.1.3", "undeliverable here"), Row(.rcpt, 550, "5.1.10", "rejected"),
      Row(.rcpt, 550, "5.2.1", "rejected"), Row(.rcpt, 554, "5.1.2", "rejected"),
      Row(.text, 550, "5.1.1", "rejected"), Row(.text, 550, "5.2.1", "rejected"),
      Row(.rcpt, 550, "5.1.7", "not accepted"), Row(.rcpt, 550, "5.1.8", "not accepted"),
      Row(.rcpt, 550, "5.7.1", "not accepted"), Row(.rcpt, 504, "5.5.2", "not accepted"),
      Row(.rcpt, 552, "5.2.2", "not accepted"), Row(.rcpt, 550, "5.2.10", "not accepted"),
      Row(.rcpt, 550, "4.1.1", "not accepted"), Row(.rcpt, 554, nil, "not accepted"),
      Row(.rcpt, 530, nil, "not accepted"), Row(.text, 550, nil, "not accepted"),
      Row(.text, 552, "5.3.4", "not accepted"), Row(.text, 554, "5.7.1", "not accepted"),
      Row(.rcpt, 450, "4.2.0", "deferred"), Row(.rcpt, 451, "4.7.1", "deferred"),
      Row(.rcpt, 452, nil, "deferred"), Row(.text, 451, "4.3.0", "deferred"),
      Row(.rcpt, 421, "4.3.2", "unknown"), Row(.text, 421, nil, "unknown"),
      Row(.rcpt, 454, "4.7.1", "deferred"), Row(.text, 454, "4.7.0", "deferred"),
    ]
  )
  func `a reply from RCPT on decides about the mail`(_ row: Row) {
    let reply = SMTPReply(row.status, row.enhanced.flatMap { EnhancedStatus($0) })
    let description = SMTPFailure.reply(reply).error(at: row.step, isUnusual: false).description
    let status = [String(row.status), row.enhanced].compactMap(\.self).joined(separator: " ")
    #expect(description == "\(row.expected) at \(row.step.rawValue): \(status)")
  }

  /// Exim says 550 to everyone it does not relay for, OpenSMTPD as well, Courier 513 or 511.
  @Test(arguments: [501, 511, 550, 551, 553])
  func `a rejection without a reason names neither the mailbox nor the relay`(status: Int) {
    let failure = DeliveryFailure(step: .rcpt, status: status)
    let reply = SMTPFailure.reply(SMTPReply(status, nil))
    #expect(reply.error(at: .rcpt, isUnusual: false) == .unclear(failure))
    #expect(reply.error(at: .rcpt, isUnusual: true) == .undeliverableHere(failure))
  }
}
