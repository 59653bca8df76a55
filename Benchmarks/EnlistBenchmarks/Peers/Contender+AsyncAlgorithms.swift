internal import AsyncAlgorithms

extension Contender {
  static func asyncChain() -> Contender {
    let sum = Sum()
    return Contender(.asyncAlgorithms) { count in
      let channel = AsyncChannel<Int>()
      let values = channel.map { $0 &+ 1 }.filter { $0 > 0 }.map { $0 &* 2 }
      async let sent: Void = {
        await send(count, to: channel)
        channel.finish()
      }()
      for await value in values { sum.add(value) }
      await sent
    }
  }

  static func asyncFlatMap() -> Contender {
    let sum = Sum()
    return Contender(.asyncAlgorithms) { count in
      for await value in (0..<count).async.flatMap({ [$0 &+ 1].async }) { sum.add(value) }
    }
  }

  static func asyncCombineLatest() -> Contender {
    let sum = Sum()
    return Contender(.asyncAlgorithms) { count in
      let pairs = AsyncAlgorithms.combineLatest((0..<count / 2).async, (0..<count / 2).async)
      for await (first, second) in pairs { sum.add(first &+ second) }
    }
  }

  static func asyncMerge() -> Contender {
    let sum = Sum()
    return Contender(.asyncAlgorithms) { count in
      let values = 0..<count / 3
      for await value in AsyncAlgorithms.merge(values.async, values.async, values.async) {
        sum.add(value)
      }
    }
  }

  /// Two tasks send, since a thread cannot wait for a channel.
  static func asyncTwoTasks() -> Contender {
    let sum = Sum()
    return Contender(.asyncAlgorithms) { count in
      let channel = AsyncChannel<Int>()
      async let sent: Void = {
        async let first: Void = send(count / 2, to: channel)
        async let second: Void = send(count / 2, to: channel)
        _ = await (first, second)
        channel.finish()
      }()
      for await value in channel { sum.add(value) }
      await sent
    }
  }

  static func asyncCombineLatestOfThree() -> Contender {
    let sum = Sum()
    return Contender(.asyncAlgorithms) { count in
      let values = 0..<count / 3
      let triples = AsyncAlgorithms.combineLatest(values.async, values.async, values.async)
      for await (first, _, third) in triples { sum.add(first &+ third) }
    }
  }

  static func asyncZip() -> Contender {
    let sum = Sum()
    return Contender(.asyncAlgorithms) { count in
      let values = 0..<count / 3
      let triples = AsyncAlgorithms.zip(values.async, values.async, values.async)
      for await (first, _, third) in triples { sum.add(first &+ third) }
    }
  }

  static func asyncBuffer() -> Contender {
    let sum = Sum()
    return Contender(.asyncAlgorithms) { count in
      for await chunk in (0..<count).async.chunks(ofCount: 16) { sum.add(chunk[chunk.count - 1]) }
    }
  }

  static func asyncValues() -> Contender {
    let sum = Sum()
    return Contender(.asyncAlgorithms) { count in
      for _ in 0..<count / 100 {
        for await value in (0..<100).async.buffer(policy: .bufferingLatest(100)) { sum.add(value) }
      }
    }
  }
}

private func send(_ count: Int, to channel: AsyncChannel<Int>) async {
  for value in 0..<count { await channel.send(value) }
}
