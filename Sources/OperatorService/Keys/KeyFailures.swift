internal import HTTPSignals
internal import Locks
internal import MailingList

/// The number of wrong keys of each client within a minute.
final class KeyFailures: Sendable {
  private struct Window {
    let begin: Timestamp
    var count = 0
  }

  /// The number of wrong keys within a minute that get the usual response.
  static let maximumCount = 10
  /// The maximum number of clients that are counted separately; further ones share a count.
  static let maximumClients = 4096
  private static let milliseconds: Int64 = 60_000

  private let windows = Lock<[ClientAddress: Window]>([:])

  /// Counts a wrong key, and returns the seconds until the client may try again, 1 or more; `nil`
  /// within the limit.
  ///
  /// A client is an IPv4 address or an IPv6 /64, including this machine.
  func add(_ client: ClientAddress, at now: Timestamp) -> Int? {
    windows.withLock { windows in
      var key = client.limitKey
      if windows[key] == nil, windows.count >= Self.maximumClients {
        windows = windows.filter { Self.age(of: $0.value, at: now) != nil }
        if windows.count >= Self.maximumClients { key = .unknown }
      }
      var window = windows[key] ?? Window(begin: now)
      if Self.age(of: window, at: now) == nil { window = Window(begin: now) }
      window.count += 1
      windows[key] = window
      guard window.count > Self.maximumCount else { return nil }
      let rest = Self.milliseconds - (Self.age(of: window, at: now) ?? 0)
      return max(1, Int((rest + 999) / 1000))
    }
  }

  /// Returns the age of a window in milliseconds; `nil` if it has ended, or the clock was set back.
  private static func age(of window: Window, at now: Timestamp) -> Int64? {
    let age = now.millisecondsSince1970 - window.begin.millisecondsSince1970
    return (0..<milliseconds).contains(age) ? age : nil
  }
}
