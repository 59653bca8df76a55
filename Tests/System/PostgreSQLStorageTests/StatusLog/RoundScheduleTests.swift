import Testing

@testable import PostgreSQLStorage

@Suite struct RoundScheduleTests {
  private let start = ContinuousClock.now

  @Test func `the first round is due at once and numbers`() {
    var schedule = RoundSchedule()
    #expect(schedule.due == nil)
    #expect(schedule.begin(at: start) == true)
  }

  @Test(arguments: [(true, 1000), (false, 50)])
  func `without anything to do, a round numbers from time to time`(
    isListening: Bool, milliseconds: Int
  ) {
    var schedule = RoundSchedule()
    schedule.isListening = isListening
    _ = schedule.begin(at: start)
    #expect(schedule.due == start + .milliseconds(milliseconds))
    #expect(schedule.begin(at: start + .milliseconds(milliseconds)) == true)
  }

  @Test func `rounds are 20 ms apart`() {
    var schedule = RoundSchedule()
    schedule.isListening = true
    _ = schedule.begin(at: start)
    schedule.wantNumbering()
    #expect(schedule.due == start + .milliseconds(20))
    #expect(schedule.begin(at: start + .milliseconds(20)) == true)
    schedule.wantReading()
    #expect(schedule.due == start + .milliseconds(40))
    #expect(schedule.begin(at: start + .milliseconds(40)) == false)
  }

  @Test func `after a notification a round reads, and the next one is a second later`() {
    var schedule = RoundSchedule()
    schedule.isListening = true
    _ = schedule.begin(at: start)
    schedule.wasNotified(at: start + .milliseconds(900))
    #expect(schedule.due == start + .milliseconds(20))
    #expect(schedule.begin(at: start + .milliseconds(901)) == false)
    #expect(schedule.due == start + .milliseconds(1900))
  }

  @Test func `rounds that only read do not delay numbering`() {
    var schedule = RoundSchedule()
    schedule.isListening = true
    _ = schedule.begin(at: start)
    for step in 1...49 {
      schedule.wantReading()
      #expect(schedule.begin(at: start + .milliseconds(20 * step)) == false)
    }
    schedule.wantReading()
    #expect(schedule.begin(at: start + .milliseconds(1000)) == true)
  }
}
