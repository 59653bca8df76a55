import Signals
import SignalsTesting

/// Prices that several observers share: one connection for all of them, and none without observers.
@main
struct Ticker {
  static func main() async {
    let clock = TestScheduler()

    // Cold: each subscription would open its own connection.
    let feed = Signal.interval(.seconds(1), on: clock)
      .scan(100) { price, _ in price + (price.isMultiple(of: 2) ? 3 : -1) }
      .initially { print("open") }
      .do(disposed: { print("close") })

    // Shared: one connection, and late observers get the last price immediately.
    let prices = feed.share(replay: 1)
    let first = prices.subscribe(next: { print("first reader: \($0)") })
    clock.advance(by: .seconds(2))
    let second = prices.map { "\($0) EUR" }.subscribe(next: { print("second reader: \($0)") })
    clock.advance(by: .seconds(1))
    first.dispose()
    clock.advance(by: .seconds(1))

    // As an asynchronous sequence: a slow reader gets only the newest values.
    do {
      var newest = prices.values(bufferingPolicy: .bufferingNewest(2)).makeAsyncIterator()
      clock.advance(by: .seconds(4))
      second.dispose()
      for _ in 1...2 {
        guard let price = await newest.next(isolation: #isolation) else { break }
        print("slow reader: \(price)")
      }
    }

    // The minimum and maximum of each group of three.
    prices.take(6).buffer(count: 3)
      .map { "\($0.min() ?? 0) to \($0.max() ?? 0)" }
      .subscribe(next: { print("of three: \($0)") }, completed: { print("done") })
    clock.advance(by: .seconds(10))
  }
}
