@preconcurrency internal import OpenCombine

extension Contender {
  static func openCombineChain() -> Contender {
    let sum = Sum()
    let subject = PassthroughSubject<Int, Never>()
    let sink = subject.map { $0 &+ 1 }.filter { $0 > 0 }.map { $0 &* 2 }.sink { sum.add($0) }
    return Contender(.openCombine) { count in
      withExtendedLifetime(sink) {
        for value in 0..<count { subject.send(value) }
      }
    }
  }

  static func openCombineFanOut(to subscribers: Int) -> Contender {
    let sum = Sum()
    let subject = PassthroughSubject<Int, Never>()
    let sinks = (0..<subscribers).map { _ in subject.sink { sum.add($0) } }
    return Contender(.openCombine) { count in
      withExtendedLifetime(sinks) {
        for value in 0..<count / subscribers { subject.send(value) }
      }
    }
  }

  static func openCombineCold() -> Contender {
    let sum = Sum()
    return Contender(.openCombine) { count in
      for value in 0..<count {
        let future = Deferred { Future<Int, Never> { promise in promise(.success(value)) } }
        future.sink { sum.add($0) }.cancel()
      }
    }
  }

  static func openCombineFlatMap() -> Contender {
    let sum = Sum()
    let subject = PassthroughSubject<Int, Never>()
    let sink = subject.flatMap { Just($0 &+ 1) }.sink { sum.add($0) }
    return Contender(.openCombine) { count in
      withExtendedLifetime(sink) {
        for value in 0..<count { subject.send(value) }
      }
    }
  }

  /// OpenCombine 0.14 merges only with `flatMap`.
  static func openCombineMerge() -> Contender {
    let sum = Sum()
    let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
    let sink = subjects.publisher.flatMap { $0 }.sink { sum.add($0) }
    return Contender(.openCombine) { count in
      withExtendedLifetime(sink) {
        for value in 0..<count / 3 {
          for subject in subjects { subject.send(value) }
        }
      }
    }
  }

  static func openCombineTwoThreads() -> Contender {
    let sum = Sum()
    let subject = PassthroughSubject<Int, Never>()
    let sink = subject.sink { sum.add($0) }
    return Contender(.openCombine) { count in
      withExtendedLifetime(sink) {
        twice { for value in 0..<count / 2 { subject.send(value) } }
      }
    }
  }

  static func openCombineChurn() -> Contender {
    let sum = Sum()
    let subject = PassthroughSubject<Int, Never>()
    let sink = subject.sink { sum.add($0) }
    return Contender(.openCombine) { count in
      withExtendedLifetime(sink) {
        for _ in 0..<count { subject.sink { sum.add($0) }.cancel() }
      }
    }
  }

  static func openCombineZip() -> Contender {
    let sum = Sum()
    let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
    let sink = subjects[0].zip(subjects[1], subjects[2]).sink { sum.add($0.0 &+ $0.2) }
    return Contender(.openCombine) { count in
      withExtendedLifetime(sink) {
        for value in 0..<count / 3 {
          for subject in subjects { subject.send(value) }
        }
      }
    }
  }

  /// OpenCombine 0.14 comes closest with a `flatMap` of one publisher at a time.
  static func openCombineExhaustMap() -> Contender {
    let sum = Sum()
    let subject = PassthroughSubject<Int, Never>()
    let sink = subject.flatMap(maxPublishers: .max(1)) { Just($0 &+ 1) }.sink { sum.add($0) }
    return Contender(.openCombine) { count in
      withExtendedLifetime(sink) {
        for value in 0..<count { subject.send(value) }
      }
    }
  }

  static func openCombineBuffer() -> Contender {
    let sum = Sum()
    let subject = PassthroughSubject<Int, Never>()
    let sink = subject.collect(16).sink { sum.add($0[15]) }
    return Contender(.openCombine) { count in
      withExtendedLifetime(sink) {
        for value in 0..<count { subject.send(value) }
      }
    }
  }

  static func openCombineReplaceError() -> Contender {
    let sum = Sum()
    return Contender(.openCombine) { count in
      for value in 0..<count {
        let publisher = Fail<Int, BenchmarkError>(error: BenchmarkError())
        publisher.replaceError(with: value).sink { sum.add($0) }.cancel()
      }
    }
  }

  /// OpenCombine 0.14 retries only without delay.
  static func openCombineRetry() -> Contender {
    let sum = Sum()
    return Contender(.openCombine) { count in
      for value in 0..<count {
        Fail<Int, BenchmarkError>(error: BenchmarkError()).retry(1)
          .sink(receiveCompletion: { _ in sum.add(value) }, receiveValue: { sum.add($0) })
          .cancel()
      }
    }
  }

  /// OpenCombine 0.14 comes closest with a subject that has a current value.
  static func openCombineCurrentValue() -> Contender {
    let sum = Sum()
    let subject = CurrentValueSubject<Int, Never>(1)
    let sink = subject.sink { sum.add($0) }
    return Contender(.openCombine) { count in
      withExtendedLifetime(sink) {
        for _ in 0..<count { subject.sink { sum.add($0) }.cancel() }
      }
    }
  }

  static func openCombineMap() -> Contender {
    let sum = Sum()
    let subject = CurrentValueSubject<Int, Never>(0)
    let sink = subject.map { $0 &+ 1 }.sink { sum.add($0) }
    return Contender(.openCombine) { count in
      withExtendedLifetime(sink) {
        for value in 0..<count { subject.send(value) }
      }
    }
  }

  /// OpenCombine's subject reads and writes in two steps.
  static func openCombineModify() -> Contender {
    let subject = CurrentValueSubject<Int, Never>(0)
    return Contender(.openCombine) { count in
      for value in 0..<count { subject.value &+= value }
    }
  }
}
