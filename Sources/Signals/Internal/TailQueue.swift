/// A queue that runs the steps of one subscription one after the other without growing the stack,
/// including steps that are requested from within a step.
///
/// An operator that continues with another signal in the same subscription subscribes it as a step:
/// with synchronous signals, the first one ends while its subscribing is still on the stack.
@usableFromInline
final class TailQueue: Sendable {
  @usableFromInline typealias Step = @Sendable () -> Void

  private struct State: Sendable {
    var isBusy = false
    var steps = FIFOQueue<Step>()
  }

  private let state = Lock(State())

  @usableFromInline
  init() {}

  /// Runs a step, or leaves it to the thread that is running one.
  @usableFromInline
  func make(_ step: @escaping Step) {
    let isFirst = state.withLock { state in
      if state.isBusy {
        state.steps.append(step)
        return false
      }
      state.isBusy = true
      return true
    }
    guard isFirst else { return }
    var next: Step? = step
    while let current = next {
      current()
      next = state.withLock { state in
        guard let next = state.steps.popFirst() else {
          state.isBusy = false
          return nil
        }
        return next
      }
    }
  }
}

extension CompositeDisposable {
  /// Runs a step of this subscription without growing the stack: subscribes its next signal.
  ///
  /// - Parameter step: Subscribes with this subscription. It may run after this method returns.
  @usableFromInline
  func makeStep(_ step: @escaping @Sendable () -> Void) {
    tailQueue.make(step)
  }

  private var tailQueue: TailQueue {
    let fresh = TailQueue()
    return members.withLock { members in
      let tails = members.tails ?? fresh
      members.tails = tails
      return tails
    }
  }
}
