internal import Signals

extension Row {
  /// A failure that becomes a value, from subscribing to the end.
  static var replaceError: Row {
    Row(
      name: "(m) replaceError(with:) of a failure", aim: Aim(), contenders: [signalsReplaceError()])
  }

  /// A failure, and a second attempt that fails too, on no delay.
  static var retryDelayed: Row {
    Row(
      name: "(m) retry(1, delay:) of a failure, on no delay", aim: Aim(),
      contenders: [signalsRetryDelayed()])
  }

  /// A failure, and a second attempt that fails too, which a signal asks for.
  static var retryWhen: Row {
    Row(name: "(m) retry(when:) of a failure", aim: Aim(), contenders: [signalsRetryWhen()])
  }
}

/// The failure of these rows.
struct BenchmarkError: Error {}

private func signalsReplaceError() -> Contender {
  let sum = Sum()
  return Contender(.signals) { count in
    for value in 0..<count {
      Signal<Int, BenchmarkError>.fail(BenchmarkError()).replaceError(with: value)
        .subscribe(next: { sum.add($0) })
    }
  }
}

private func signalsRetryDelayed() -> Contender {
  let sum = Sum()
  return Contender(.signals) { count in
    for value in 0..<count {
      Signal<Int, BenchmarkError>.fail(BenchmarkError())
        .retry(1, delay: .fixed(.zero), on: ImmediateScheduler())
        .subscribe(failed: { _ in sum.add(value) })
    }
  }
}

private func signalsRetryWhen() -> Contender {
  let sum = Sum()
  return Contender(.signals) { count in
    for value in 0..<count {
      Signal<Int, BenchmarkError>.fail(BenchmarkError())
        .retry(when: { $0.take(1) })
        .subscribe(completed: { sum.add(value) })
    }
  }
}
