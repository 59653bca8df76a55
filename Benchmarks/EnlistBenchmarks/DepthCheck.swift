internal import Dispatch
internal import Foundation
internal import Signals
internal import Synchronization

/// Runs what may go on and on in constant stack a million times, and nests each operator.
///
/// The tests of Signals do the same less often: a debug build is slower, and needs more stack.
struct DepthCheck {
  typealias Work = @Sendable (Rounds) -> Void

  private let name: String
  private let stackKiB: Int
  private let rounds: Rounds
  private let work: Work

  init(_ name: String, stackKiB: Int = 512, rounds: Int = 1_000_000, _ work: @escaping Work) {
    self.name = name
    self.stackKiB = stackKiB
    self.rounds = Rounds(count: rounds)
    self.work = work
  }

  /// Runs all checks, and prints a line for each; a full stack ends the process.
  ///
  /// - Returns: Whether each made all its rounds.
  static func run() -> Bool {
    all.reduce(true) { isKept, check in check.run() && isKept }
  }

  private func run() -> Bool {
    print("\(name): \(rounds.count) rounds in \(stackKiB) KiB of stack", terminator: "")
    fflush(nil)
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread { [rounds, work] in
      work(rounds)
      isDone.signal()
    }
    thread.stackSize = stackKiB << 10
    thread.start()
    isDone.wait()
    print(rounds.isOver ? "" : " were not made")
    return rounds.isOver
  }

  private static var all: [DepthCheck] {
    commands + [
      DepthCheck("concat of many signals") { rounds in
        let signals = (0..<rounds.count).map { Signal<Int, Never>.just($0) }
        Signal<Signal<Int, Never>, Never>(signals).concat().subscribe(next: { _ in rounds.add() })
      },
      DepthCheck("repeat") { rounds in
        Signal<Int, Never>.just(0).repeat(rounds.count).subscribe(next: { _ in rounds.add() })
      },
      continuing("concat") { one, rest in one.concat(.deferred(rest)) },
      continuing("then") { one, rest in one.then(rest) },
      continuing("flatMap") { one, rest in one.flatMap { _ in rest() } },
      DepthCheck("a signal that continues itself through catch") { rounds in
        @Sendable func next() -> Signal<Int, Failure> {
          rounds.add() ? Signal.fail(Failure()).catch { _ in next() } : .just(0)
        }
        next().subscribe()
      },
    ] + nested
  }

  /// Commands that are executed again from one of their notifications.
  private static var commands: [DepthCheck] {
    [
      DepthCheck("a command, from executing") { rounds in
        let command = Command<Int, Int, Never> { .just($0) }
        command.executing.skip(1).filter { !$0 }.subscribe(next: { [weak command] _ in
          if rounds.add() { command?.execute(0) }
        })
        command.execute(0)
      },
      DepthCheck("a command, from the completion of its result") { rounds in
        let command = Command<Int, Int, Never> { .just($0) }
        @Sendable func execute() {
          command.execute(0).subscribe(completed: { if rounds.add() { execute() } })
        }
        execute()
      },
      DepthCheck("a command, from its errors") { rounds in
        let command = Command<Int, Int, Failure> { _ in .fail(Failure()) }
        command.errors.subscribe(next: { [weak command] _ in
          if rounds.add() { command?.execute(0) }
        })
        command.execute(0)
      },
    ]
  }

  /// Makes the check of a signal that continues itself.
  private static func continuing(
    _ name: String,
    _ join:
      @escaping @Sendable (Signal<Int, Never>, @escaping @Sendable () -> Signal<Int, Never>) ->
      Signal<Int, Never>
  ) -> DepthCheck {
    DepthCheck("a signal that continues itself through \(name)") { rounds in
      @Sendable func next() -> Signal<Int, Never> {
        rounds.add() ? join(.just(0), { next() }) : .just(0)
      }
      next().subscribe()
    }
  }

  struct Failure: Error {}

  /// The rounds of a check.
  final class Rounds: Sendable {
    let count: Int
    private let made = Atomic(0)

    init(count: Int) {
      self.count = count
    }

    /// Whether all rounds have been made.
    var isOver: Bool { made.load(ordering: .relaxed) == count }

    /// Counts a round.
    ///
    /// - Returns: Whether there is another one.
    @discardableResult
    func add() -> Bool {
      made.wrappingAdd(1, ordering: .relaxed).newValue < count
    }
  }
}
