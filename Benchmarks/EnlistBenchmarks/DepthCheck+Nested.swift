internal import Signals

extension DepthCheck {
  private typealias Numbers = Signal<Int, Failure>

  /// Each operator, applied to its own result again and again.
  static var nested: [DepthCheck] { lean + deep }

  private static var lean: [DepthCheck] {
    let scheduler = QueueScheduler.background
    return [
      nest("map") { $0.map { $0 } },
      nest("filter") { $0.filter { _ in true } },
      nest("compactMap") { $0.compactMap { $0 } },
      nest("distinctUntilChanged") { $0.distinctUntilChanged() },
      nest("skip") { $0.skip(while: { _ in false }) },
      nest("take") { $0.take(1) },
      nest("take(while:)") { $0.take(while: { _ in true }) },
      nest("takeLast") { $0.takeLast(1) },
      nest("scan") { $0.scan(0, +) },
      nest("reduce") { $0.reduce(0, +) },
      nest("combinePrevious") { $0.combinePrevious(0, +) },
      nest("do") { $0.do(next: { _ in }) },
      nest("finally") { $0.finally {} },
      nest("mapError") { $0.mapError { $0 } },
      nest("tryMap") { $0.tryMap { value throws(Failure) in value } },
      nest("startWith") { $0.startWith() },
      nest("replaceError") { $0.replaceError(with: 0).promoteError() },
      nest("materialize") { $0.materialize().dematerialize() },
      nest("buffer(count:)") { $0.buffer(count: 1).map(\.count) },
      nest("flatMap") { $0.flatMap { .just($0) } },
      nest("flatMapLatest") { $0.flatMapLatest { .just($0) } },
      nest("concatMap") { $0.concatMap { .just($0) } },
      nest("exhaustMap") { $0.exhaustMap { .just($0) } },
      nest("concat") { $0.concat(.empty) },
      nest("merge") { $0.merge(with: .never.take(0)) },
      nest("combineLatest") { combineLatest($0, .just(0)) { value, _ in value } },
      nest("zip") { zip($0, .just(0)) { value, _ in value } },
      nest("withLatest(from:)") { $0.withLatest(from: Numbers.just(0)) { value, _ in value } },
      nest("race") { $0.race(with: .never) },
      nest("take(until:)") { $0.take(until: Numbers.never) },
      nest("catch") { $0.catch { .fail($0) } },
      nest("retry") { $0.retry(0) },
      nest("repeat") { $0.repeat(1) },
      nest("retry(_:delay:on:)") { $0.retry(0, delay: .fixed(.zero), on: scheduler) },
      nest("deliver(on:)") { $0.deliver(on: ImmediateScheduler()) },
      nest("subscribe(on:)") { $0.subscribe(on: ImmediateScheduler()) },
    ]
  }

  /// Those that need the most stack for each level.
  private static var deep: [DepthCheck] {
    let scheduler = QueueScheduler.background
    return [
      nest("groupBy", 5_000) { $0.groupBy { $0 }.flatMap(\.signal) },
      nest("timeout", 5_000) { $0.timeout(after: .seconds(60), on: scheduler, with: Failure()) },
      nest("share", 5_000) { $0.share() },
      nest("share(replay:)", 5_000) { $0.share(replay: 1) },
      nest("debounce", 5_000) { $0.debounce(for: .seconds(60), on: scheduler) },
      nest("throttle", 5_000) { $0.throttle(for: .seconds(60), on: scheduler) },
      nest("buffer(for:on:)", 5_000) {
        $0.buffer(for: .seconds(60), on: scheduler).map(\.count)
      },
    ]
  }

  private static func nest(
    _ name: String, _ depth: Int = 10_000, _ apply: @escaping @Sendable (Numbers) -> Numbers
  ) -> DepthCheck {
    DepthCheck("nested \(name)", stackKiB: 8_192, rounds: depth) { rounds in
      var signal = Numbers.just(0)
      for _ in 0..<rounds.count {
        rounds.add()
        signal = apply(signal)
      }
      signal.subscribe()
    }
  }
}
