internal import Delivery
internal import EmailAddresses
internal import HTTPSignals
internal import MailingList
internal import Platform
internal import Security

extension SettingKind<Bool> {
  static let onOff = Self.words(["on": true, "off": false])
}

extension SettingKind<Int> {
  static func whole(_ range: ClosedRange<Int>) -> Self {
    Self("a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// A number of bytes within bounds that are written like it.
  static func size(_ lowest: String, _ highest: String) -> Self {
    Self("a size such as 4096, 16KiB or 1GiB, from \(lowest) to \(highest)") { text in
      guard let size = ByteText.count(of: text), let lowest = ByteText.count(of: lowest),
        let highest = ByteText.count(of: highest), lowest <= size, size <= highest
      else { return nil }
      return size
    } text: {
      ByteText.text(of: $0)
    }
  }
}

extension SettingKind<Duration> {
  /// A duration within bounds that are written like it.
  static func duration(
    _ lowest: String, _ highest: String, such examples: String = "250ms, 30s, 5m or 1h"
  ) -> Self {
    Self("a duration such as \(examples), from \(lowest) to \(highest)") { text in
      DurationText.duration(of: text).flatMap {
        DurationText.range(of: "\(lowest)..\(highest)")?.contains($0) == true ? $0 : nil
      }
    } text: {
      DurationText.text(of: $0)
    }
  }
}

extension SettingKind<ClosedRange<Duration>> {
  static func durations(_ lowest: String, _ highest: String) -> Self {
    Self("a duration, or a range such as 8m..10m, from \(lowest) to \(highest)") { text in
      guard let times = DurationText.range(of: text),
        let bounds = DurationText.range(of: "\(lowest)..\(highest)")
      else { return nil }
      return bounds.contains(times.lowerBound) && bounds.contains(times.upperBound) ? times : nil
    } text: {
      "\(DurationText.text(of: $0.lowerBound))..\(DurationText.text(of: $0.upperBound))"
    }
  }
}

extension SettingKind<RequestRate> {
  static let rate = Self(
    "off, or a number from 1 to 10000 and a duration from 1s to 24h: 30/10m"
  ) { text in
    guard text != "off" else { return .unlimited }
    let times = Duration.seconds(1) ... .seconds(86_400)
    return DurationText.count(of: text, within: 1...10_000, per: times)
      .map { RequestRate.limited(count: $0.count, per: $0.duration) }
  } text: { rate in
    switch rate {
    case .unlimited: "off"
    case .limited(let count, let time): "\(count)/\(DurationText.text(of: time))"
    }
  }
}

extension SettingKind<MailBudget> {
  /// The duration is whole hours.
  static let budget = Self("a number from 1 to 1000000 and a duration from 1h to 7d: 500/1d") {
    text in
    let times = .seconds(3600)...MailBudgets.countedPeriod
    guard let (count, time) = DurationText.count(of: text, within: 1...1_000_000, per: times),
      time.components.seconds.isMultiple(of: 3600)
    else { return nil }
    return MailBudget(count: count, per: time)
  } text: {
    "\($0.count)/\(DurationText.text(of: $0.period))"
  }
}

extension SettingKind<String> {
  static let file = Self("the path of a file", present)
  static let directory = Self("the path of a directory", present)
  static let url = Self("a URL: https://www.example.org/letters") {
    let url = HostName.ascii(in: $0)
    return url.utf8.count <= 2048 && WebOrigin(ofURL: url) != nil ? url : nil
  }

  /// A text for people.
  static func line(_ maximumBytes: Int, allowing allowed: Unicode.Scalar? = nil) -> Self {
    let exception = allowed == nil ? "" : " except line feeds"
    return Self("at most \(maximumBytes) bytes without control characters\(exception)") { text in
      let isFit = text.unicodeScalars.allSatisfy { scalar in
        if scalar == allowed { return true }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: true
        }
      }
      return isFit && text.utf8.count <= maximumBytes ? present(text) : nil
    }
  }

  /// Returns a text; `nil` if it is empty or contains a null character.
  @Sendable static func present(_ text: String) -> String? {
    text.isEmpty || text.utf8.contains(0) ? nil : text
  }
}

extension SettingKind<HiddenText> {
  static let relay = Self(
    "smtp://[user:password@]host[:port], or smtps://[user:password@]host[:port]"
  ) {
    let url = HostName.ascii(in: $0)
    return (try? SMTPServer(url: url)) == nil ? nil : HiddenText(url)
  }
  static let password = Self("a password of one line", isSecret: true) {
    $0.contains(where: \.isNewline) ? nil : SettingKind<String>.present($0).map { HiddenText($0) }
  }
}

extension SettingKind<Keyring> {
  static let secret = Self("base64 of 32 to 64 bytes, or NEW,OLD", isSecret: true) {
    try? Keyring($0)
  }
}

extension SettingKind<SocketAddress?> {
  /// An address; `nil` for the socket that systemd passes.
  static let listen = Self(
    "an address and a port, 127.0.0.1:8080 or [::]:8080; unix:PATH; or systemd"
  ) {
    $0 == "systemd" ? .some(nil) : SocketAddress($0).map(Optional.some)
  } text: {
    $0?.description ?? "systemd"
  }
}

extension SettingKind<SocketAddress> {
  static let operatorListen = Self(
    "an address and a port, 127.0.0.1:8081 or [::]:8081; or unix:PATH"
  ) { SocketAddress($0) }
}

extension SettingKind<DatabaseLocation> {
  static let database = Self(
    "sqlite:PATH, or postgres://USER@HOST[,HOST]/DATABASE with ports and parameters of libpq"
  ) { DatabaseLocation(HostName.ascii(in: $0)) }
}

extension SettingKind<WebOrigin> {
  static let origin = Self("a scheme, a host and an optional port: https://list.example.org") {
    WebOrigin(withEmptyPath: HostName.ascii(in: $0))
  }
}

extension SettingKind<AllowedOrigins> {
  static let origins = Self(
    "none, or origins without a path, separated by commas: https://example.com,https://*.example.org"
  ) { text in
    let origins = text.split(separator: ",", omittingEmptySubsequences: false)
    return AllowedOrigins(origins.map { HostName.ascii(in: String($0)) }.joined(separator: ","))
  } text: { _ in
    "none"
  }
}

extension SettingKind<DNSServer> {
  static let dnsServer = Self("an address and a port such as 127.0.0.1:53") { DNSServer($0) }
}

extension SettingKind<[ClientNetwork]> {
  static let proxies = Self.list(
    "networks separated by commas: loopback,10.0.0.0/8,2001:db8::7,unix", word: "loopback"
  ) { part in
    part == "loopback" ? ClientNetwork.loopback : ClientNetwork(part).map { [$0] }
  }
}

extension SettingKind<[CIDRBlock]> {
  static let networks = Self.list("networks separated by commas: 10.0.0.0/8,fd00::/8") {
    CIDRBlock($0).map { [$0] }
  }
}

extension SettingKind<[FormField]> {
  static let fields = Self(
    """
    none, or at most \(FormField.maximumCount) different names of 1 to 32 lower-case letters, \
    digits and _, the first a letter
    """,
    explaining: { text in
      text.split { $0 == "," || $0 == "*" }.first { FormField.reservedNames.contains(String($0)) }
        .map { "\($0) is a name of the program's own; choose another" }
    }
  ) {
    $0 == "none" ? [] : FormField.list($0)
  } text: { _ in
    "none"
  }
}

extension SettingKind<AccentColor> {
  static let color = Self("a color such as #1f5fa8") { AccentColor($0) }
}

extension SettingKind<Mailbox> {
  static let mailbox = Self(
    "ADDRESS, or NAME <ADDRESS>, with an ASCII address: List <list@example.org>"
  ) { Mailbox($0) }
}

extension SettingKind<EmailAddress> {
  static let address = Self("an ASCII address: bounces@example.org") { text in
    Mailbox(text).flatMap { $0.name == nil ? $0.address : nil }
  }
}
