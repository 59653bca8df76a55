internal import SubscribeService

extension RequestRate {
  /// Parses `off`, or a number, a slash and a duration: `30/10m`; `nil` if the text is invalid.
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

  /// The rate in the setting's format.
  var text: String {
    switch self {
    case .limited(let count, let time): "\(count)/\(DurationText.text(of: time))"
    case .unlimited: "off"
    }
  }
}
