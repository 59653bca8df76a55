internal import CAllocations

/// Times all contenders of all rows in turn, so that other load on the machine affects all alike.
struct Stopwatch {
  /// How often each contender is timed.
  let rounds: Int

  private let clock = ContinuousClock()

  init(rounds: Int) {
    self.rounds = rounds
  }

  /// Measures time and allocations; the contenders take turns, starting with another one each round.
  func measure(_ rows: [Row]) async -> [RowResult] {
    var trials: [[Trial]] = []
    for row in rows {
      var ofRow: [Trial] = []
      for contender in row.contenders {
        ofRow.append(await prepare(contender, shortest: row.shortest))
      }
      trials.append(ofRow)
    }
    for round in 0..<rounds {
      for row in trials.indices {
        for turn in trials[row].indices {
          let index = (round + turn) % trials[row].count
          let trial = trials[row][index]
          let elapsed = await time(trial.contender, trial.count)
          trials[row][index].samples.append(elapsed.nanoseconds / Double(trial.count))
        }
      }
    }
    return zip(rows, trials).map { row, trials in
      RowResult(row: row, costs: trials.map { ($0.contender.library, $0.cost) })
    }
  }

  /// Counts the allocations of one operation, after one-time allocations have been made.
  static func allocations(of contender: Contender, count: Int = 2_000) async -> Double? {
    guard allocations_can_be_counted() else { return nil }
    await contender.perform(count)
    allocations_start()
    await contender.perform(count)
    return Double(allocations_stop()) / Double(count)
  }

  /// Finds how many operations take long enough to time.
  private func prepare(_ contender: Contender, shortest: Duration) async -> Trial {
    var count = 2_000
    while await time(contender, count) < shortest { count *= 2 }
    let allocations = await Self.allocations(of: contender)
    return Trial(contender: contender, count: count, allocations: allocations)
  }

  private func time(_ contender: Contender, _ count: Int) async -> Duration {
    let start = clock.now
    await contender.perform(count)
    return clock.now - start
  }
}

/// The measurements of one contender.
private struct Trial {
  let contender: Contender
  let count: Int
  let allocations: Double?
  var samples: [Double] = []

  var cost: Cost {
    Cost(nanoseconds: samples.sorted()[samples.count / 2], allocations: allocations)
  }
}

extension Duration {
  /// The whole duration in nanoseconds.
  fileprivate var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}
