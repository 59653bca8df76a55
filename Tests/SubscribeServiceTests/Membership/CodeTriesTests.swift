import MailingList
import TestSupport
import Testing

@testable import SubscribeService

/// The tries of codes in memory.
@Suite struct CodeTriesTests {
  private func id(_ number: Int) -> ExecutionID {
    var generator = RandomNumbers()
    return ExecutionID(
      at: Timestamp(millisecondsSince1970: Int64(number)),
      using: &generator
    )
  }

  @Test func `counts down to none`() {
    let tries = CodeTries()
    let id = id(1)
    #expect((0..<7).map { _ in tries.begin(id) } == [4, 3, 2, 1, 0, nil, nil])
    #expect(tries.begin(self.id(2)) == 4)
  }

  @Test func `a canceled try does not count`() {
    let tries = CodeTries()
    let id = id(1)
    tries.cancel(id)
    #expect(tries.begin(id) == 4)
    tries.cancel(id)
    #expect(tries.begin(id) == 4)
    #expect(tries.begin(id) == 3)
  }

  @Test func `remembers an execution until half the capacity of others were tried twice over`() {
    let tries = CodeTries(capacity: 8)
    let id = id(1)
    #expect(tries.begin(id) == 4)
    for number in 2...5 { _ = tries.begin(self.id(number)) }
    #expect(tries.begin(id) == 3)
    for number in 6...20 { _ = tries.begin(self.id(number)) }
    #expect(tries.begin(id) == 4)
  }
}
