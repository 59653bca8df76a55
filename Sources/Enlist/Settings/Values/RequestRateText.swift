internal import HTTPSignals

extension RequestRate {
  /// Parses `off`, or a number, a slash and a duration: `30/10m`; `nil` if the text is invalid.
  init?(_ text: String) {
    guard text != "off" else {
      self = .unlimited
      return
    }
    let times = Duration.seconds(1) ... .seconds(86_400)
    guard let (count, time) = DurationText.count(of: text, within: 1...10_000, per: times)
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
