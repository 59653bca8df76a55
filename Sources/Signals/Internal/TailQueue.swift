internal import Locks

/// Makes the steps of one subscription one after the other, also those that are asked for from within
/// a step, without growing the stack.
///
/// What goes on with another signal in the same subscription does it as a step: with synchronous
/// signals the end of the first comes while its subscribing is still on the stack.
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

  /// Makes a step, or leaves it to whoever makes one.
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
  /// Subscribes something in this subscription, as its last signal for now, without growing the stack.
  ///
  /// - Parameter step: Subscribes with this subscription; nothing may depend on what it has done when
  ///   this returns.
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
