import Foundation
import Signals
import SignalsFoundation
import SignalsTesting
import Testing

/// The recipes of the cookbook, `Cookbook.md`, and what they print.
@Suite struct CookbookTests {
  private let recorder = Recorder()

  /// What stands in the place of printing.
  private var print: @Sendable (String) -> Void {
    { [recorder] text in recorder.note(text) }
  }

  /// What was printed, as the page shows it.
  private var printed: [String] {
    recorder.lines.map { String($0.dropFirst(4)) }
  }

  private struct Offline: Error {}

  @Test func `a search waits for a pause, and follows only the newest request`() {
    let print = print
    let scheduler = TestScheduler()
    let search: @Sendable (String) -> Signal<String, Offline> = { text in
      print("requests \(text)")
      return Signal.just("results for \(text)").delay(.seconds(1), on: scheduler)
    }
    let text = Property("")
    let results =
      text
      .debounce(for: .milliseconds(300), on: scheduler)
      .distinctUntilChanged()
      .filter { !$0.isEmpty }
      .flatMapLatest { search($0).catch { _ in .just("offline") } }
    let subscription = results.subscribe(next: { print($0) })
    text.value = "ap"
    text.value = "app"
    scheduler.advance(by: .seconds(2))
    subscription.dispose()
    #expect(
      printed == [
        "requests app",
        "results for app",
      ]
    )
  }

  @Test func `a form is valid when each of its fields is`() {
    let print = print
    let email = Property("")
    let password = Property("")
    let isValid = email.combineLatest(with: password) { $0.contains("@") && $1.count >= 8 }
    let send = Command<Void, String, Offline>(enabled: isValid) { _ in .just("welcome") }
    send.enabled.subscribe(next: { print("button \($0 ? "on" : "off")") })
    email.value = "ana@example.com"
    password.value = "correct horse"
    #expect(
      printed == [
        "button off",
        "button on",
      ]
    )
  }

  @Test func `a request is repeated after pauses that grow`() {
    let print = print
    let scheduler = TestScheduler()
    let request = Signal<String, Offline>.fail(Offline()).initially { print("tries") }
    let patient = request.retry(
      3, delay: .exponential(from: .milliseconds(100), limit: .seconds(5)), on: scheduler)
    patient.subscribe(next: { print($0) }, failed: { _ in print("gives up") })
    scheduler.advance(by: .seconds(15))
    #expect(
      printed == [
        "tries",
        "tries",
        "tries",
        "tries",
        "gives up",
      ]
    )
  }

  @Test func `a countdown ends at zero`() {
    let print = print
    let scheduler = TestScheduler()
    let countdown = Signal.interval(.seconds(1), on: scheduler)
      .scan(3) { left, _ in left - 1 }
      .startWith(3)
      .take(4)
    countdown.subscribe(next: { print("\($0)") }, completed: { print("liftoff") })
    scheduler.advance(by: .seconds(3))
    #expect(
      printed == [
        "3",
        "2",
        "1",
        "0",
        "liftoff",
      ]
    )
  }

  @Test func `requests run at the same time, at most two of them, and end together`() {
    let print = print
    let scheduler = TestScheduler()
    let load: @Sendable (Int) -> Signal<String, Offline> = { page in
      Signal.just("page \(page)").delay(.seconds(page), on: scheduler)
    }
    let pages = Signal<Int, Offline>([3, 1, 2]).map { load($0) }.flatten(maxConcurrent: 2)
    pages.subscribe(next: { print($0) })
    combineLatest([load(1), load(2)]).subscribe(next: { print($0.joined(separator: " and ")) })
    scheduler.advance(by: .seconds(3))
    #expect(
      printed == [
        "page 1",
        "page 1 and page 2",
        "page 3",
        "page 2",
      ]
    )
  }

  @Test func `a response is loaded once, and stored for those who ask later`() {
    let print = print
    let request = Signal<Int, Never>.just(200).initially { print("requests") }
    let cache = request.replayLazily()
    cache.subscribe(next: { print("first \($0)") })
    cache.subscribe(next: { print("second \($0)") })
    // The last value while there are observers, then a new request.
    let recent = request.concat(.never).share(replay: 1)
    let subscriptions = [recent.subscribe(), recent.subscribe(next: { print("shared \($0)") })]
    subscriptions.forEach { $0.dispose() }
    #expect(
      printed == [
        "requests",
        "first 200",
        "second 200",
        "requests",
        "shared 200",
      ]
    )
  }

  @Test func `asynchronous code awaits signals, and signals run asynchronous code`() async {
    let print = print
    let load: @Sendable (Int) async throws(Offline) -> String = { number throws(Offline) in
      if number > 2 { throw Offline() }
      return "page \(number)"
    }
    let pages = Signal<Int, Offline>([1, 2, 3]).concatMap { number in
      .task { () async throws(Offline) in try await load(number) }
    }
    do throws(Offline) {
      for try await page in pages.values { print(page) }
    } catch {
      print("offline")
    }
    let command = Command(load)
    print((try? await command(1)) ?? "nothing")
    #expect(
      printed == [
        "page 1",
        "page 2",
        "offline",
        "page 1",
      ]
    )
  }

  @Test func `delegates and notifications are signals`() {
    let print = print
    final class Locations: Sendable {
      let signal: Signal<String, Never>
      private let subject = Subject<String, Never>()

      init() { signal = subject.signal }

      func locationDidChange(to place: String) { subject.send(place) }
    }
    let locations = Locations()
    let bag = DisposableBag()
    locations.signal.subscribe(next: { print("in \($0)") }).store(in: bag)
    let name = Notification.Name("battery")
    let center = NotificationCenter()
    center.notifications(named: name) { $0.userInfo?["level"] as? Int }
      .subscribe(next: { print("\($0) %") })
      .store(in: bag)
    locations.locationDidChange(to: "Bergen")
    center.post(name: name, object: nil, userInfo: ["level": 80])
    #expect(
      printed == [
        "in Bergen",
        "80 %",
      ]
    )
  }

  @Test func `an hour passes at once`() {
    let print = print
    let scheduler = TestScheduler()
    let session = Signal<Int, Offline>.never
      .timeout(between: .seconds(3_600), on: scheduler, with: Offline())
    session.subscribe(failed: { _ in print("signed out at \(scheduler.now)") })
    scheduler.advance(by: .seconds(3_599))
    print("still there")
    scheduler.advance(by: .seconds(1))
    #expect(
      printed == [
        "still there",
        "signed out at 3600.0 seconds",
      ]
    )
  }

  @Test func `a button ignores touches that follow too soon`() {
    let print = print
    let scheduler = TestScheduler()
    let taps = Subject<Void, Never>()
    taps.throttle(for: .seconds(1), latest: false, on: scheduler)
      .subscribe(next: { print("buys") })
    taps.send()
    taps.send()
    scheduler.advance(by: .seconds(1))
    taps.send()
    #expect(
      printed == [
        "buys",
        "buys",
      ]
    )
    // The work that waits in the scheduler and the scheduler would keep each other.
    scheduler.advance(by: .seconds(1))
  }

  @Test func `pages are appended each time that the end of the list is reached`() {
    let print = print
    let load: @Sendable (Int) -> Signal<[Int], Never> = { page in
      .just(page < 2 ? [10 * page, 10 * page + 1] : [])
    }
    let endReached = Subject<Void, Never>()
    let items =
      endReached
      .scan(-1) { page, _ in page + 1 }
      .exhaustMap { load($0) }
      .take(while: { !$0.isEmpty })
      .scan(into: [Int]()) { $0 += $1 }
    items.subscribe(next: { print("\($0)") }, completed: { print("no more") })
    for _ in 1...3 { endReached.send() }
    #expect(
      printed == [
        "[0, 1]",
        "[0, 1, 10, 11]",
        "no more",
      ]
    )
  }

  @Test func `the page shows the code of these tests, and what it prints`() throws {
    try expectListings(of: "Cookbook.md", count: 11, in: #filePath)
  }
}
