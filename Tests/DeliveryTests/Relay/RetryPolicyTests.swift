import Delivery
import MailingList
import Testing

@Suite struct RetryPolicyTests {
  private let policy = RetryPolicy(firstDelay: .seconds(60))
  private let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)

  @Test(
    arguments: [
      (0, 60), (1, 120), (2, 240), (5, 1920), (7, 7680), (8, 14_400), (9, 14_400), (.max, 14_400),
    ]
  )
  func `the longest delay doubles up to four hours`(_ attempts: Int, _ seconds: Int) throws {
    let mail = try ClaimedMail.random(createdAt: start, attempts: attempts)
    #expect(policy.nextAttempt(of: mail, at: start, jitter: 1) == start.adding(.seconds(seconds)))
    #expect(
      policy.nextAttempt(of: mail, at: start, jitter: 0.5) == start.adding(.seconds(seconds / 2)))
    #expect(policy.nextAttempt(of: mail, at: start, jitter: 0) == start)
  }

  @Test func `no attempt is later than three days after the sign-up`() throws {
    let mail = try ClaimedMail.random(createdAt: start, attempts: 8)
    let end = start.adding(RetryPolicy.lifetime)
    #expect(policy.nextAttempt(of: mail, at: end.adding(.seconds(-14_401)), jitter: 1) != nil)
    #expect(policy.nextAttempt(of: mail, at: end.adding(.seconds(-14_400)), jitter: 1) == nil)
    #expect(!policy.isExpired(mail, at: end.adding(.milliseconds(-1))))
    #expect(policy.isExpired(mail, at: end))
  }

  @Test func `a mail is tried about 43 times`() throws {
    var now = start
    var attempts = 1
    while true {
      let mail = try ClaimedMail.random(createdAt: start, attempts: attempts - 1)
      guard let next = policy.nextAttempt(of: mail, at: now, jitter: 0.5) else { break }
      now = next
      attempts += 1
    }
    #expect(38...48 ~= attempts)
  }

  @Test func `a delay of zero and a negative one try again immediately`() throws {
    let mail = try ClaimedMail.random(createdAt: start, attempts: 40)
    for delay in [Duration.zero, .seconds(-1)] {
      let policy = RetryPolicy(firstDelay: delay)
      #expect(policy.nextAttempt(of: mail, at: start, jitter: 1) == start)
    }
  }
}
