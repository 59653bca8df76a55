internal import HTTPSignals
internal import HTTPTypes
internal import Signals
internal import MailingList

/// A limit on the rate at which each client sends requests of one kind, in tables of bounded size.
///
/// A client often has many addresses, so an address alone does not identify it. The networks that
/// contain an address have buckets as well, and a request must fit into all of them:
///
/// | rate | IPv6 | IPv4 |
/// |---|---|---|
/// | 1 × | /64, the usual network of a single line | /32 |
/// | 4 × | /56 | – |
/// | 16 × | /48 | /24 |
///
/// An accepted request fills all of them, a rejected request fills none, so an attacker with a
/// whole /48 uses no more buckets than the /48 has requests left. Each width has its own table.
final class ClientRateLimiter: Sendable {
  private struct Tables {
    var narrow: LeakyBucketTable
    var middle: LeakyBucketTable
    var wide: LeakyBucketTable
  }

  private let isUnlimited: Bool
  private let tables: Lock<Tables>

  /// Creates a limiter with empty tables.
  ///
  /// The maximum `clientCount` of remembered clients also applies to the networks of each width;
  /// each takes 16 bytes.
  init(rate: RequestRate, clientCount: Int = 65_536) {
    let (count, time): (Int, Duration) =
      switch rate {
      case .unlimited: (1, .seconds(1))
      case .limited(let count, let time): (count, time)
      }
    func table(_ factor: Int) -> LeakyBucketTable {
      LeakyBucketTable(count: count * factor, per: time, maximumCount: clientCount)
    }
    isUnlimited = rate == .unlimited
    tables = Lock(Tables(narrow: table(1), middle: table(4), wide: table(16)))
  }

  /// Counts a request if the rate allows it, and returns `nil`; otherwise returns the number of
  /// seconds, at least 1, after which a request will be accepted.
  ///
  /// `nil` and clients on this machine are not limited.
  func secondsToWait(of client: ClientAddress?, at now: Timestamp) -> Int? {
    let (count, wait) = take(upTo: 1, of: client, at: now)
    return count == 1 ? nil : Int((wait - 1) / 1000) + 1
  }

  /// Counts a stream before its execution or log is looked up, and returns whether it may be
  /// opened.
  ///
  /// If not, the limiter has already responded. HEAD does not open a stream.
  func admitsStream(_ exchange: Exchange, at now: Timestamp) -> Bool {
    let request = exchange.request
    guard request.method != .head,
      let seconds = secondsToWait(of: request.source.limitedClient, at: now)
    else { return true }
    exchange.postponeStream(.tooManyRequests(.stream, secondsToWait: seconds))
    return false
  }

  /// Counts as many requests as the rate allows now, up to a maximum.
  ///
  /// Returns the number of accepted requests, and the number of milliseconds after which another
  /// one would have been accepted before. `nil` and clients on this machine are not limited.
  func take(
    upTo maximum: Int64, of client: ClientAddress?, at now: Timestamp
  ) -> (count: Int64, wait: Int64) {
    guard !isUnlimited, let client, !client.isLoopback else { return (maximum, 0) }
    let networks = client.limitedNetworks
    let now = now.millisecondsSince1970
    return tables.withLock { tables in
      let narrow = tables.narrow.lookUp(networks.narrow, at: now)
      let middle = networks.middle.map { tables.middle.lookUp($0, at: now) }
      let wide = networks.wide.map { tables.wide.lookUp($0, at: now) }
      let count = min(maximum, narrow.room, middle?.room ?? maximum, wide?.room ?? maximum)
      let wait = max(narrow.wait, middle?.wait ?? 0, wide?.wait ?? 0)
      guard count > 0 else { return (0, wait) }
      tables.narrow.fill(narrow, count)
      if let middle { tables.middle.fill(middle, count) }
      if let wide { tables.wide.fill(wide, count) }
      return (count, wait)
    }
  }
}

/// The kinds of requests that have a rate, with the texts of `too-many-requests`.
enum LimitedRequest: String, TextKey {
  /// `POST /subscribers`, and `POST /confirm/{token}/mail`.
  case signUp = "limit.sign-up"
  /// `POST /email-checks`.
  case emailCheck = "limit.email-check"
  /// A request that opens an event stream.
  case stream = "limit.stream"
}
