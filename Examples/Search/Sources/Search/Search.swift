import Signals
import SignalsTesting

/// A search field; it has no screen, so it prints what a screen would show.
///
/// It searches after a pause in typing, cancels the previous request when there is a new one,
/// retries a failed request, and reports an error if that does not help. Time is virtual, so the
/// program prints the same each time and finishes immediately.
@main
struct Search {
  /// The reason why a request failed.
  nonisolated enum RequestError: Error {
    case unreachable
  }

  static func main() {
    let clock = TestScheduler()
    let field = Property("")
    let isSearching = Property(false)

    // The server responds after two seconds; it knows fruit, and is unreachable for "grape".
    let request: @Sendable (String) -> Signal<[String], RequestError> = { text in
      Signal { observer in
        print("\(seconds(clock)) request \"\(text)\"")
        let work = clock.schedule(after: .seconds(2)) {
          guard text != "grape" else { return observer.fail(.unreachable) }
          observer.send(["apple", "apricot", "banana"].filter { $0.hasPrefix(text) })
          observer.complete()
        }
        return AnyDisposable {
          if !work.isDisposed { print("\(seconds(clock)) give up \"\(text)\"") }
          work.dispose()
        }
      }
    }

    let results = field.signal
      .debounce(for: .seconds(1), on: clock)
      .distinctUntilChanged()
      .filter { !$0.isEmpty }
      .flatMapLatest { text in
        request(text)
          .retry(1, delay: .fixed(.seconds(3)), on: clock)
          .map { $0.isEmpty ? "nothing found" : $0.joined(separator: ", ") }
          .catch { _ in .just("the server cannot be reached") }
          .initially { isSearching.value = true }
          .finally { isSearching.value = false }
      }

    // The user interface belongs to the main actor.
    let screen = Screen()
    let subscriptions = CompositeDisposable()
    results.observe(on: MainActor.self, next: { screen.show("\(seconds(clock)) \($0)") })
      .store(in: subscriptions)
    isSearching.map { $0 ? "…" : "" }.signal.distinctUntilChanged().skip(1)
      .observe(on: MainActor.self, next: { screen.spinner = $0 })
      .store(in: subscriptions)

    // The user types.
    let keys = ["a", "ap", "app"]
    for (index, text) in keys.enumerated() {
      clock.schedule(after: .milliseconds(500 * (index + 1))) { field.value = text }
    }
    clock.schedule(after: .seconds(6)) { field.value = "b" }
    // A second and a half later the request for "b" is in flight.
    clock.schedule(after: .milliseconds(7_500)) { field.value = "ba" }
    clock.schedule(after: .seconds(12)) { field.value = "grape" }
    clock.schedule(after: .seconds(24)) { field.value = "cherry" }
    clock.run()
    subscriptions.dispose()
    print("shown: \(screen.count) results, searching: \(isSearching.value)")
  }

  /// The time of a clock, formatted in seconds.
  nonisolated private static func seconds(_ clock: TestScheduler) -> String {
    let (whole, attoseconds) = clock.now.components
    return "\(whole).\(attoseconds / 100_000_000_000_000_000)"
  }
}

/// What the user would see.
final class Screen {
  private(set) var count = 0
  var spinner = ""

  func show(_ line: String) {
    count += 1
    print(line)
  }
}
