import Signals

// What users write, as they write it: without the types that the compiler can find by itself.
// It compiles with the tests; `TypeCheckingTests` measures how long the compiler needs for each.

private struct Failed: Error, Equatable {}
private struct Reply: Sendable, Equatable {
  var words: [String] = []
}

private func search(_ text: String) -> Signal<Reply, Failed> { .just(Reply(words: [text])) }
private func length(of text: String) -> Signal<Int, Never> { .just(text.count) }
private func parse(_ text: String) throws(Failed) -> Int { text.count }
private func fetch(_ text: String) async throws(Failed) -> Int { text.count }

// Signals of callbacks.

private func callbacks(_ flag: Bool, _ other: Signal<Int, Never>, _ subject: Subject<Int, Never>) {
  let _: Signal<Int, Never> = Signal { observer in
    observer.send(1)
    observer.complete()
  }
  let _: Signal<Int, Never> = Signal { observer in observer.complete() }
  let _: Signal<Int, Never> = Signal { observer in other.subscribe(observer) }
  let _: Signal<Int, Never> = Signal { _ in nil }
  let _: Signal<Int, Never> = Signal { _ in AnyDisposable {} }
  let _: Signal<Int, Never> = Signal { observer in
    if flag { return }
    observer.complete()
  }
  let _: Signal<Int, Never> = Signal { observer in
    if flag { return nil }
    observer.complete()
    return AnyDisposable {}
  }
  _ = Signal<String, Failed> { observer in observer.fail(Failed()) }
  _ = Signal<Int, Never> { observer in [1, 2, 3].forEach { observer.send($0) } }
  other.subscribe(subject)
  other.map { $0 + 1 }.subscribe(subject)
}

// Failures.

private func failures(_ numbers: Signal<Int, Failed>, _ safe: Signal<String, Never>) {
  _ = numbers.catch { _ in .just(0) }.map { "\($0)" }.filter { !$0.isEmpty }
  _ = numbers.catch { _ in .empty }.map { $0 + 1 }.scan(0, +)
  _ = numbers.catch { _ in .fail(Failed()) }.map { $0 + 1 }
  _ = numbers.catch { error in
    let zero = error == Failed() ? 0 : 1
    return .just(zero)
  }
  let _: Signal<Int, Failed> = numbers.catch { _ in .just(0) }
  _ = numbers.replaceError(with: 0).map { $0 * 2 }
  _ = numbers.mapError { _ in Failed() }.retry(3)
  _ = safe.tryMap(parse).map { $0 + 1 }
  _ = safe.tryMap { text throws(Failed) in try parse(text) }.catch { _ in .just(0) }
  let _: Signal<Int, any Error> = safe.tryMap { try parse($0) }
  _ = safe.timeout(after: .seconds(1), on: QueueScheduler.background, with: Failed())
    .retry(2)
    .replaceError(with: "")
  _ = numbers.retry(
    5, delay: .exponential(from: .milliseconds(100), limit: .seconds(30)),
    on: QueueScheduler.background)
  _ = numbers.retry(delay: .fixed(.seconds(1)), on: QueueScheduler.background).map(String.init)
  _ = numbers.retry(when: { errors in
    errors.flatMap { _ in Signal.timer(after: .seconds(1), on: QueueScheduler.background) }
  })
  _ = numbers.retry(when: { $0.take(3) })
}

// Signals that cannot fail among those that can.

private func promotions(_ numbers: Signal<Int, Failed>, _ safe: Signal<Int, Never>) {
  _ = numbers.merge(with: safe).map { $0 + 1 }
  _ = safe.merge(with: numbers).map { $0 + 1 }
  _ = Signal.merge(numbers, safe).filter { $0 > 0 }
  _ = Signal.merge(safe, numbers).filter { $0 > 0 }
  _ = Signal.merge([numbers, numbers]).filter { $0 > 0 }
  _ = combineLatest(numbers, safe) { $0 + $1 }.map { $0 + 1 }
  _ = combineLatest(safe, numbers).map { $0 + $1 }
  _ = zip(numbers, safe) { $0 + $1 }.map { $0 + 1 }
  _ = zip(safe, numbers).map { $0 + $1 }
  _ = numbers.concat(safe).take(3)
  _ = safe.concat(numbers).take(3)
  _ = safe.flatMap { search("\($0)") }.map(\.words.count)
  _ = numbers.flatMap { length(of: "\($0)") }.map { $0 + 1 }
  _ = safe.flatMapLatest { search("\($0)").retry(2) }.map(\.words)
  _ = safe.map { search("\($0)") }.switchToLatest().map(\.words)
  _ = safe.map { search("\($0)") }.flatten(maxConcurrent: 2).map(\.words)
  _ = safe.concatMap { search("\($0)") }.collect()
  _ = safe.exhaustMap { search("\($0)") }.collect()
  _ = safe.then { search("") }.map(\.words)
  _ = numbers.withLatest(from: safe) { $0 + $1 }
  _ = numbers.sample(on: Signal.interval(.seconds(1), on: QueueScheduler.background))
}

// The same operators without any promotion mean what they always did.

private func plain(_ numbers: Signal<Int, Failed>, _ safe: Signal<Int, Never>) {
  let _: Signal<Int, Never> = safe.flatMap { .just($0 + 1) }
  let _: Signal<Int, Failed> = numbers.flatMap { $0 > 1 ? .just($0) : .fail(Failed()) }
  let _: Signal<Int, Never> = safe.merge(with: .empty).concat(.just(1)).startWith(0)
  let _: Signal<Int, Never> = combineLatest(.just(1), safe) { $0 + $1 }
  let _: Signal<(Int, Int), Failed> = zip(numbers, .just(2))
  let _: Signal<[Int], Never> = combineLatest([safe, .just(1)])
  let _: Signal<[Int], Failed> = zip([numbers, numbers.map { $0 * 2 }])
  _ = Signal<Int, Never>.race(safe, .never)
  _ = safe.race(with: safe.delay(.seconds(1), on: QueueScheduler.background))
  _ = safe.withLatest(from: safe).map { $0 * $1 }
  _ = safe.buffer(count: 2).map { $0.reduce(0, +) }
  _ = safe.window(count: 2).flatMap { $0.collect() }
  _ = safe.share(replay: 1).map { $0 + 1 }
}

// Long ones: what takes a type checker longest.

private func long(_ texts: Signal<String, Never>, _ numbers: [Signal<Int, Never>]) {
  _ =
    texts
    .map { $0.lowercased() }
    .filter { !$0.isEmpty }
    .distinctUntilChanged()
    .debounce(for: .milliseconds(300), on: QueueScheduler.background)
    .flatMapLatest { search($0) }
    .map { $0.words.count }
    .retry(2)
    .catch { _ in .just(0) }
    .filter { $0 > 0 }
    .scan(0, +)
    .map { "\($0)" }
    .startWith("")
    .take(10)
  _ = combineLatest(
    numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7]
  ) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }
  _ = zip(texts, numbers[0], numbers[1]) { "\($0) \($1) \($2)" }.map(\.count).reduce(0, +)
  _ = combineLatest(texts.map { $0.contains("@") }, texts.map { $0.count < 255 }) { $0 && $1 }
    .not()
    .distinctUntilChanged()
}

// Subjects, properties, commands, subscriptions.

private func state(_ numbers: Signal<Int, Never>) async throws {
  let tapped = Subject<Void, Never>()
  tapped.send()
  let email = Property("")
  let isValid = email.map { $0.contains("@") && $0.count > 3 }
  let mayLogIn = isValid.combineLatest(with: Property(false)) { $0 && !$1 }
  _ = mayLogIn.value
  email.modify { $0 += "a" }
  let reload = Command<Void, Int, Failed> { _ in .just(1) }
  reload.execute()
  _ = try await reload()
  _ = reload.isEnabled && !reload.isExecuting
  _ = Command(fetch)
  _ = Command<String, Int, Failed>(enabled: isValid.signal, fetch)
  _ = Command<String, Int, Failed> { text async throws(Failed) in try await fetch(text) }
  let _: Command<String, Int, any Error> = Command { try await fetch($0) }
  let subscriptions = CompositeDisposable()
  numbers.map { $0 + 1 }.subscribe(next: { _ in }).store(in: subscriptions)
  subscriptions.dispose()
}

// Schedulers by a dot, subjects and properties as signals, and any error.

private func shorter(_ texts: Signal<String, Never>, _ numbers: Signal<Int, any Error>) {
  let name = Property("")
  let age = Property(0)
  let taps = Subject<Int, Never>()
  _ = texts.debounce(for: .milliseconds(300), on: .background).deliver(on: .main)
  _ = texts.delay(.seconds(1), on: .clock(ContinuousClock())).map(\.count)
  _ = combineLatest(name, age) { "\($0) \($1)" }
  _ = combineLatest(name, age, taps) { "\($0) \($1) \($2)" }.map(\.count)
  _ = combineLatest(name, texts).map { $0 + $1 }
  _ = combineLatest(search(""), name, age.signal.map { $0 + 1 }) { "\($0) \($1) \($2)" }
  _ = taps.map { $0 + 1 }.filter { $0 > 1 }.withLatest(from: name) { "\($0) \($1)" }
  _ = name.debounce(for: .seconds(1), on: .background).flatMapLatest { search($0) }
  _ = taps.flatMapLatest { search("\($0)") }.map(\.words)
  _ = taps.throttle(for: .seconds(1), latest: false, on: .main).scan(into: [Int]()) {
    $0.append($1)
  }
  _ = texts.take(until: taps).first(where: { !$0.isEmpty }).ifEmpty(send: "none")
  _ = texts.distinctUntilChanged(by: \.count).buffer(for: .seconds(1), count: 10, on: .background)
  _ = texts.timeout(between: .seconds(1), on: .background, with: Failed()).retry(
    3, delay: .seconds(1), on: .background)
  _ = numbers.flatMap { search("\($0)") }.map(\.words.count)
  _ = numbers.merge(with: search("").map(\.words.count)).map { $0 + 1 }
  _ = Command<Int, Int, Never>(enabled: name.map { !$0.isEmpty }) { .just($0) }
  _ = Signal.merge(numbers, search("").map(\.words.count), taps.signal)
  _ = combineLatest(
    age.signal, age.signal, search("").map(\.words.count), age.signal, age.signal, age.signal,
    age.signal, numbers
  ) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }
}
