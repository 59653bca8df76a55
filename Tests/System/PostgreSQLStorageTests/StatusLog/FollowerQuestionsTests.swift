import Signals
import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite struct FollowerQuestionsTests {
  private let start = ContinuousClock.now
  private let inbox = FollowerInbox()

  init() {
    inbox.open()
  }

  private static func makeID() -> ExecutionID {
    var generator = RandomNumbers()
    return ExecutionID(at: .now, using: &generator)
  }

  /// Asks whether executions are stored.
  ///
  /// - Returns: The replies, once they have come.
  private func ask(_ ids: [ExecutionID]) -> Replies {
    let replies = Replies()
    for id in ids {
      let observer = Observer<Bool, StoreError>(
        next: { replies.add(.success($0)) },
        end: { end in if case .failed(let error) = end { replies.add(.failure(error)) } })
      inbox.ask(StoredQuestion(id: id, deadline: start + .seconds(2), observer: observer))
    }
    return replies
  }

  private final class Replies: Sendable {
    private let state = Lock<[Result<Bool, StoreError>]>([])

    var all: [Result<Bool, StoreError>] { state.withLock { $0 } }

    func add(_ reply: Result<Bool, StoreError>) {
      state.withLock { $0.append(reply) }
    }
  }

  private func run(_ replies: [FollowerQuestions.Reply]) {
    for reply in replies { reply() }
  }

  @Test func `an execution is looked up until it is stored or its time is over`() {
    var questions = FollowerQuestions()
    let ids = [Self.makeID(), Self.makeID()]
    let replies = ask(ids)
    run(questions.add(inbox.take(), position: 0, at: start))
    #expect(questions.needsRound)
    #expect(questions.deadline == start + .seconds(2))
    #expect(questions.ids == ids)
    run(questions.lookedUp([], of: Set(ids)))
    #expect(!questions.needsRound)
    #expect(replies.all.isEmpty)
    run(questions.lookedUp([ids[1]], of: Set(ids)))
    #expect(replies.all == [.success(true)])
    run(questions.expired(at: start + .seconds(1)))
    #expect(questions.ids == [ids[0]])
    run(questions.expired(at: start + .seconds(2)))
    #expect(replies.all == [.success(true), .success(false)])
    #expect(questions.deadline == nil)
  }

  @Test func `an execution that was never looked up is not called unknown`() {
    var questions = FollowerQuestions()
    let replies = ask([Self.makeID()])
    run(questions.add(inbox.take(), position: 0, at: start))
    run(questions.expired(at: start + .seconds(2)))
    #expect(replies.all == [.failure(.unreachable)])
  }

  @Test func `only so many executions are waited for`() {
    var questions = FollowerQuestions()
    let ids = (0...FollowerQuestions.maximumWaiting).map { _ in Self.makeID() }
    let replies = ask(ids)
    run(questions.add(inbox.take(), position: 0, at: start))
    run(questions.lookedUp([], of: Set(ids)))
    #expect(replies.all == [.success(false)])
    #expect(questions.ids.count == FollowerQuestions.maximumWaiting)
  }

  @Test func `nothing is asked before there is a follower, or after its end`() {
    let inbox = FollowerInbox()
    let replies = Replies()
    let observer = Observer<Bool, StoreError>(
      next: { replies.add(.success($0)) },
      end: { end in if case .failed(let error) = end { replies.add(.failure(error)) } })
    let question = StoredQuestion(id: Self.makeID(), deadline: start, observer: observer)
    inbox.ask(question)
    #expect(replies.all == [.failure(.closed)])
    inbox.open()
    inbox.ask(question)
    var questions = FollowerQuestions()
    inbox.stop()
    let content = inbox.take()
    #expect(content.isStopped)
    run(questions.add(content, position: 0, at: start))
    run(questions.close())
    inbox.ask(question)
    #expect(replies.all == Array(repeating: .failure(.closed), count: 3))
  }
}
