internal import HTTPSignals
internal import Locks
internal import MailingList

/// Limits how often each client makes a request of one kind, in tables that cannot grow.
///
/// A client is not only its address: whoever is given one address is often given many. So the
/// networks around it have buckets as well, and a request has to fit into all of them:
///
/// | rate | IPv6 | IPv4 |
/// |---|---|---|
/// | 1 × | /64, which is what a single line is given | /32 |
/// | 4 × | /56 | – |
/// | 16 × | /48 | /24 |
///
/// A request that is accepted fills all of them, one that is rejected none: so an attacker with a
/// whole /48 uses no more buckets than the /48 has requests left. Each width has a table of its own.
final class ClientRateLimiter: Sendable {
  private struct Tables {
    var narrow: LeakyBucketTable
    var middle: LeakyBucketTable
    var wide: LeakyBucketTable
  }

  private let isUnlimited: Bool
  private let tables: Lock<Tables>

  /// Makes a limiter that has counted nothing.
  ///
  /// - Parameters:
  ///   - rate: How many requests are accepted.
  ///   - clientCount: How many clients are remembered at most, and how many networks of each width;
  ///     each takes 16 bytes.
  init(rate: RequestRate, clientCount: Int = 65_536) {
    let (count, time): (Int, Duration) =
      switch rate {
      case .unlimited: (1, .seconds(1))
      case .limited(let count, let time): (count, time)
      }
    func table(_ factor: Int64) -> LeakyBucketTable {
      LeakyBucketTable(
        count: Int64(count) * factor,
        milliseconds: Int64(time / .milliseconds(1)),
        maximumCount: clientCount
      )
    }
    isUnlimited = rate == .unlimited
    tables = Lock(Tables(narrow: table(1), middle: table(4), wide: table(16)))
  }

  /// How many clients are remembered at a time.
  ///
  /// - Parameter now: The time.
  /// - Returns: Their number.
  func rememberedCount(at now: Timestamp) -> Int {
    tables.withLock { $0.narrow.rememberedCount(at: now.millisecondsSince1970) }
  }

  /// Counts a request, unless it is one too many.
  ///
  /// - Parameters:
  ///   - client: Who sends it; `nil`, and this machine, are not limited.
  ///   - now: When.
  /// - Returns: In how many seconds, 1 or more, the next one will be accepted; `nil` when this one
  ///   is.
  func secondsToWait(of client: ClientAddress?, at now: Timestamp) -> Int? {
    guard !isUnlimited, let client, !client.isLoopback else { return nil }
    let networks = client.limitedNetworks
    let now = now.millisecondsSince1970
    let wait = tables.withLock { tables in
      let narrow = tables.narrow.lookUp(networks.narrow, at: now)
      let middle = networks.middle.map { tables.middle.lookUp($0, at: now) }
      let wide = networks.wide.map { tables.wide.lookUp($0, at: now) }
      let wait = max(narrow.wait, middle?.wait ?? 0, wide?.wait ?? 0)
      guard wait == 0 else { return wait }
      tables.narrow.fill(narrow)
      if let middle { tables.middle.fill(middle) }
      if let wide { tables.wide.fill(wide) }
      return 0
    }
    return wait == 0 ? nil : Int((wait - 1) / 1000) + 1
  }
}

extension ClientAddress {
  /// The networks that are limited, each as the bits that name it.
  ///
  /// From that of a single client to the widest that one customer is usually given. All clients that are unknown are one.
  fileprivate var limitedNetworks: (narrow: UInt64, middle: UInt64?, wide: UInt64?) {
    switch self {
    case .v4(let address):
      // Among the multicast addresses of IPv6, which no client has.
      let bits = 0xFFFF_0000_0000_0000 | UInt64(address)
      return (bits, nil, bits & ~0xFF)
    case .v6(let upper, _):
      return (upper, upper & ~0xFF, upper & ~0xFFFF)
    case .local, .unknown:
      return (.max, nil, nil)
    }
  }
}
