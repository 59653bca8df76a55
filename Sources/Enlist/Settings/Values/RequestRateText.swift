internal import SubscribeService

extension RequestRate {
  /// Reads a rate.
  ///
  /// - Parameter text: `off`, or a number, a slash and a time: `30/10m`; anything else is none.
  init?(_ text: String) {
    guard text != "off" else {
      self = .unlimited
      return
    }
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].allSatisfy({ $0.isASCII && $0.isNumber }),
      let count = Int(parts[0]), (1...10_000).contains(count),
      let time = DurationText.duration(of: parts[1]),
      (.seconds(1) ... .seconds(86_400)).contains(time)
    else { return nil }
    self = .limited(count: count, per: time)
  }

  /// The rate as the setting has it.
  var text: String {
    switch self {
    case .limited(let count, let time): "\(count)/\(DurationText.text(of: time))"
    case .unlimited: "off"
    }
  }
}
