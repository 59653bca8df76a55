import Signals
import SignalsTesting
import Testing

/// An operator in a shape that all can take: numbers in, numbers out.
struct OperatorCase: Sendable, CustomTestStringConvertible {
  typealias Numbers = Signal<Number, Trouble>

  let name: String
  /// Whether it sends before its source has ended, without waiting for a scheduler.
  var stopsEndless = true
  /// How much the source or a companion of the case itself leaves on the scheduler.
  var leftWaiting = 0
  /// Whether a failure of its source is a failure of it, too.
  var forwardsFailure = true
  let apply: @Sendable (Numbers, TestScheduler) -> Numbers

  var testDescription: String { name }

  init(
    _ name: String, stopsEndless: Bool = true, forwardsFailure: Bool = true,
    _ apply: @escaping @Sendable (Numbers, TestScheduler) -> Numbers
  ) {
    self.name = name
    self.stopsEndless = stopsEndless
    self.forwardsFailure = forwardsFailure
    self.apply = apply
  }

  static let all = plain + joins + timed

  /// Those that see one event at a time and take no lock.
  static let plain = [
    OperatorCase("map") { source, _ in source.map { $0 + 1 } },
    OperatorCase("mapReplace") { source, _ in source.mapReplace(7) },
    OperatorCase("filter") { source, _ in source.filter { $0 >= 0 } },
    OperatorCase("compactMap") { source, _ in source.compactMap { $0 } },
    OperatorCase("distinctUntilChanged") { source, _ in source.distinctUntilChanged() },
    OperatorCase("skip") { source, _ in source.skip(0) },
    OperatorCase("skip(while:)") { source, _ in source.skip(while: { _ in false }) },
    OperatorCase("tryMap") { source, _ in source.tryMap { value throws(Trouble) in value } },
    OperatorCase("take") { source, _ in source.take(100) },
    OperatorCase("take(while:)") { source, _ in source.take(while: { _ in true }) },
    OperatorCase("takeLast", stopsEndless: false) { source, _ in source.takeLast(3) },
    OperatorCase("scan") { source, _ in source.scan(0, +) },
    OperatorCase("reduce", stopsEndless: false) { source, _ in source.reduce(0, +) },
    OperatorCase("collect", stopsEndless: false) { source, _ in
      source.collect().map { Number($0.count) }
    },
    OperatorCase("scan(into:)") { source, _ in source.scan(into: 0) { $0 = $0 + $1 } },
    OperatorCase("distinctUntilChanged(by:)") { source, _ in
      source.distinctUntilChanged(by: \.value)
    },
    OperatorCase("combinePrevious") { source, _ in source.combinePrevious(0) { $0 + $1 } },
    OperatorCase("materialize, dematerialize") { source, _ in
      source.materialize().dematerialize()
    },
    OperatorCase("mapError") { source, _ in source.mapError { $0 } },
    OperatorCase("do") { source, _ in
      source.do(next: { _ in }, failed: { _ in }, completed: {}, disposed: {})
    },
    OperatorCase("initially") { source, _ in source.initially {} },
    OperatorCase("finally") { source, _ in source.finally {} },
    OperatorCase("ignoreValues", stopsEndless: false) { source, _ in source.ignoreValues() },
    OperatorCase("not") { source, _ in source.map { $0 > 0 }.not().map { $0 ? 1 : 0 } },
    OperatorCase("any", stopsEndless: false, forwardsFailure: false) { source, _ in
      source.any { $0 < 0 }.map { $0 ? 1 : 0 }.promoteError(to: Trouble.self)
    },
    OperatorCase("all", stopsEndless: false, forwardsFailure: false) { source, _ in
      source.all { $0 >= 0 }.map { $0 ? 1 : 0 }.promoteError(to: Trouble.self)
    },
    OperatorCase("replaceError", forwardsFailure: false) { source, _ in
      source.replaceError(with: 7).promoteError(to: Trouble.self)
    },
    OperatorCase("buffer(count:)") { source, _ in
      source.buffer(count: 1).map { Number($0.count) }
    },
    OperatorCase("logged") { source, _ in source.logged("S") { _ in } },
  ]

  /// Those that subscribe several signals, together or one after the other.
  static let joins = [
    OperatorCase("flatMap") { source, _ in source.flatMap { .just($0) } },
    OperatorCase("flatten") { source, _ in source.map { .just($0) }.flatten() },
    OperatorCase("exhaustMap") { source, _ in source.exhaustMap { .just($0) } },
    OperatorCase("window(count:)") { source, _ in source.window(count: 2).flatMap { $0 } },
    OperatorCase("race") { source, _ in source.race(with: .never) },
    OperatorCase("race, as the second") { source, _ in Numbers.race(.never, source) },
    OperatorCase("withLatest(from:)") { source, _ in
      source.withLatest(from: Numbers.just(1)) { $0 + $1 }
    },
    OperatorCase("combineLatest of an array") { source, _ in
      combineLatest([.just(1), source]).map { $0.reduce(0, +) }
    },
    OperatorCase("zip of an array") { source, _ in
      zip([thousandNumbers, source]).map { $0.reduce(0, +) }
    },
    OperatorCase("first(where:)", stopsEndless: false) { source, _ in
      source.first(where: { $0 < 0 })
    },
    OperatorCase("ifEmpty") { source, _ in source.ifEmpty(continueWith: .just(7)) },
    OperatorCase("ifEmpty, as the second") { source, _ in
      Numbers.empty.ifEmpty(continueWith: source)
    },
    OperatorCase("concatMap") { source, _ in source.concatMap { .just($0) } },
    OperatorCase("concat") { source, _ in source.concat(.empty) },
    OperatorCase("concat, as the second") { source, _ in Numbers.empty.concat(source) },
    OperatorCase("then") { source, _ in Numbers.just(0).then { source } },
    OperatorCase("startWith") { source, _ in source.startWith().map { $0 } },
    OperatorCase("merge") { source, _ in source.merge(with: .empty) },
    OperatorCase("combineLatest of two") { source, _ in
      combineLatest(.just(1), source) { $0 + $1 }
    },
    OperatorCase("combineLatest of three") { source, _ in
      combineLatest(.just(1), .just(2), source) { $0 + $1 + $2 }
    },
    OperatorCase("and") { source, _ in
      Signal.just(true).and(source.map { $0 > 0 }).map { $0 ? 1 : 0 }
    },
    OperatorCase("or") { source, _ in
      Signal.just(false).or(source.map { $0 > 0 }).map { $0 ? 1 : 0 }
    },
    OperatorCase("zip of two") { source, _ in zip(thousandNumbers, source) { $1 } },
    OperatorCase("zip of three") { source, _ in
      zip(thousandNumbers, thousandNumbers, source) { $2 }
    },
    OperatorCase("sample", stopsEndless: false) { source, _ in source.sample(on: Numbers.never) },
    OperatorCase("sample, as the sampler") { source, _ in
      Numbers.just(1).concat(.never).sample(on: source)
    },
    OperatorCase("switchToLatest") { source, _ in source.map { .just($0) }.switchToLatest() },
    OperatorCase("flatMapLatest") { source, _ in source.flatMapLatest { .just($0) } },
    OperatorCase("take(until:)") { source, _ in source.take(until: Signal<Int, Never>.never) },
    OperatorCase("skip(until:)") { source, _ in source.skip(until: Signal<Int, Never>.just(1)) },
    OperatorCase("catch") { source, _ in source.catch { .fail($0) } },
    OperatorCase("catch, as the replacement") { source, _ in
      Signal<Number, MarbleError>.fail(MarbleError()).catch { _ in source }
    },
    OperatorCase("groupBy") { source, _ in
      source.groupBy { $0.value.isMultiple(of: 2) }.flatMap(\.signal)
    },
    OperatorCase("share") { source, _ in source.share() },
    OperatorCase("share(replay:)") { source, _ in source.share(replay: 1) },
    OperatorCase("retry(when:)") { source, _ in
      source.retry(when: { errors in errors.flatMap { Signal<Int, Trouble>.fail($0) } })
    },
    OperatorCase("publish, autoconnect") { source, _ in
      // A connection is for one time; a case is subscribed several times.
      .deferred { source.publish().autoconnect() }
    },
    OperatorCase("retry") { source, _ in source.retry(0) },
    OperatorCase("repeat") { source, _ in source.repeat(1) },
  ]

  /// Those that have to do with a scheduler.
  static let timed = [
    OperatorCase("deliver(on:)", stopsEndless: false) { source, scheduler in
      source.deliver(on: scheduler)
    },
    OperatorCase("deliver(on:) immediately") { source, _ in
      source.deliver(on: ImmediateScheduler())
    },
    OperatorCase("subscribe(on:) immediately") { source, _ in
      source.subscribe(on: ImmediateScheduler())
    },
    OperatorCase("delay", stopsEndless: false) { source, scheduler in
      source.delay(.seconds(1), on: scheduler)
    },
    OperatorCase("debounce", stopsEndless: false) { source, scheduler in
      source.debounce(for: .seconds(1), on: scheduler)
    },
    OperatorCase("throttle", stopsEndless: false) { source, scheduler in
      source.throttle(for: .seconds(1), on: scheduler)
    },
    OperatorCase("buffer", stopsEndless: false) { source, scheduler in
      source.buffer(for: .seconds(1), on: scheduler).map { Number($0.count) }
    },
    OperatorCase("buffer(for:count:on:)") { source, scheduler in
      source.buffer(for: .seconds(1), count: 1, on: scheduler).map { Number($0.count) }
    },
    OperatorCase("throttle(latest: false)", stopsEndless: false) { source, scheduler in
      source.throttle(for: .seconds(1), latest: false, on: scheduler)
    },
    OperatorCase("timeout(between:)") { source, scheduler in
      source.timeout(between: .seconds(600), on: scheduler, with: Trouble())
    },
    OperatorCase("window(for:on:)") { source, scheduler in
      source.window(for: .seconds(1), on: scheduler).flatMap { $0 }
    },
    OperatorCase("retry(_:delay:on:)") { source, scheduler in
      source.retry(0, delay: .fixed(.seconds(1)), on: scheduler)
    },
    OperatorCase("timeout") { source, scheduler in
      source.timeout(after: .seconds(600), on: scheduler, with: Trouble())
    },
  ]
}

/// The partners of a source that is zipped.
private let thousandNumbers = OperatorCase.Numbers((0..<1_000).map { Number($0) })
