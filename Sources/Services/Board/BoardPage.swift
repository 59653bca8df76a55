internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The page of the board, and the form that leads to it.
enum BoardPage {
  /// Creates the response with the numbers.
  static func response(_ numbers: BoardNumbers) -> Response {
    let condition = BoardCondition(numbers)
    let name = numbers.listName.isEmpty ? "Board" : numbers.listName
    let symbol =
      switch condition.level {
      case .well: ""
      case .warning: "! "
      case .failing: "✕ "
      }
    let advice: HTMLText = condition.advice.isEmpty ? "" : "<p>\(condition.advice)</p>"
    let body: HTMLText = """
      <header><h1>\(name)</h1><p id="time">\(numbers.now.day), \(numbers.now.clock) UTC</p>\
      <form method="post" action="/board/session/end"><button>Log out</button></form></header>
      <main>
      <section id="well"><p role="status" class="\(condition.level.rawValue)">\(condition.text)</p>\
      \(advice)</section>
      <section id="growth" aria-label="Growth">\(growth(numbers))</section>
      <section id="time-line">\(plots(numbers))</section>
      <div class="pair">
      <section id="problems"><h2>Problems</h2>\(problems(numbers))</section>
      <section id="now"><h2>Now</h2>\(current(numbers))</section>
      </div>
      <section id="latest"><h2>Latest, in UTC</h2>\(latest(numbers))</section>
      </main>
      """
    return page("\(symbol)\(name)", body, script: true)
  }

  /// Creates the response with the form; `problem` says why a key was rejected.
  static func logIn(_ problem: String? = nil) -> Response {
    let alert: HTMLText = problem.map { "<p role=\"alert\">\($0)</p>" } ?? ""
    let invalid: HTMLText = problem == nil ? "" : " aria-invalid=\"true\""
    return page(
      "Log in",
      """
      <main class="narrow"><h1>Board</h1>
      \(alert)<form method="post" action="/board/session">
      <input name="username" autocomplete="username" value="board" hidden><label for="key">Key</label>
      <div class="row"><input id="key" name="key" type="password" required \
      autocomplete="current-password"\(invalid)> <button>Log in</button></div></form>
      <p>A key for the board comes from this command:</p>
      <pre>enlist keys create --name board --scopes board</pre></main>
      """
    )
  }

  /// Creates the response with a problem of a request to the board.
  static func problem(_ title: String, _ detail: String) -> Response {
    page(title, "<main class=\"narrow\"><h1>\(title)</h1><p>\(detail)</p></main>")
  }

  private static func page(_ title: String, _ body: HTMLText, script: Bool = false) -> Response {
    let scripts: HTMLText = script ? "\n<script src=\"/board/board.js\" defer></script>" : ""
    let page: HTMLText = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <link rel="icon" href="/board/icon.svg" type="image/svg+xml">
      <link rel="stylesheet" href="/board/board.css">\(scripts)
      </head>
      <body>
      \(body)
      </body>
      </html>

      """
    var response = Response(status: .ok, body: .bytes(Array(page.text.utf8)))
    response.fields[.contentType] = "text/html; charset=utf-8"
    response.fields[.cacheControl] = "no-store, no-transform"
    return response
  }

  // MARK: Sections

  private static func growth(_ numbers: BoardNumbers) -> HTMLText {
    let cards = numbers.cards.map { name, value, note -> HTMLText in
      "<div><dt>\(name)</dt><dd><b>\(value)</b> <span>\(note)</span></dd></div>\n"
    }
    return "<dl class=\"cards\">\(HTMLText(cards))</dl>"
  }

  private static func plots(_ numbers: BoardNumbers) -> HTMLText {
    let links = BoardNumbers.Period.allCases.map { period -> HTMLText in
      let current: HTMLText = period == numbers.period ? " aria-current=\"page\"" : ""
      return "<a href=\"/board?period=\(period.rawValue)\"\(current)>\(period.title)</a> "
    }
    let heading: HTMLText = """
      <h2>Sign-ups</h2><nav aria-label="Period">\(HTMLText(links))</nav>

      """
    guard numbers.tallies != nil else { return "\(heading)\(unreadable)" }
    guard [.requested, .confirmed, .left].contains(where: { numbers.sum($0) > 0 }) else {
      return """
        \(heading)<p>No one has signed up in these \(numbers.period.title). New sign-ups appear here \
        within seconds.</p>
        """
    }
    return """
      \(heading)\(numbers.series)
      <h3>What became of them</h3>
      \(numbers.funnel)
      """
  }

  private static func problems(_ numbers: BoardNumbers) -> HTMLText {
    let since = "since \(numbers.start.spoken(at: numbers.now))"
    guard !numbers.problems.isEmpty else { return "<p>None \(since).</p>" }
    let rows = numbers.problems.prefix(10).map { name, count -> HTMLText in
      "<div><dt><a href=\"/problems/\(name)\">\(name)</a></dt><dd>\(count.grouped)</dd></div>\n"
    }
    return "<p>Responses \(since), when this process started.</p>\n<dl>\(HTMLText(rows))</dl>"
  }

  private static func current(_ numbers: BoardNumbers) -> HTMLText {
    let rows = numbers.current.map { name, text -> HTMLText in
      "<div><dt>\(name)</dt><dd>\(text)</dd></div>\n"
    }
    return "<dl>\(HTMLText(rows))</dl>"
  }

  private static func latest(_ numbers: BoardNumbers) -> HTMLText {
    guard let events = numbers.events else { return unreadable }
    guard !events.isEmpty else { return "<p>Nothing has happened yet.</p>" }
    let rows = events.map { event -> HTMLText in
      """
      <li><span>\(event.time.short(at: numbers.now))</span> <span>\(event.kind.words) \
      <small>\(event.actor.words)</small></span> \
      <span>\(event.subscriber?.maskedAddress ?? "deleted since")</span></li>

      """
    }
    return "<ol>\(HTMLText(rows))</ol>"
  }

  private static let unreadable: HTMLText = "<p>This could not be read in time.</p>"
}

extension EventActor {
  /// The words of the board.
  fileprivate var words: String {
    switch self {
    case .form: "by the form"
    case .owner: "by the person"
    case .system: ""
    case .command: "by a command"
    case .key(let id): "by the key \(id)"
    }
  }
}

/// The plots of the board: inline SVG with a title that states the finding, and a table with the
/// same numbers.
///
/// A plot is stretched to the width of the page, so all text is outside.
extension BoardNumbers {
  /// Requested and confirmed as bars, left as a line.
  fileprivate var series: HTMLText {
    let columns = self.columns
    let (requested, confirmed, left) = (counts(.requested), counts(.confirmed), counts(.left))
    let top = max(1, (requested + confirmed + left).max() ?? 1)
    func height(_ count: Int) -> Int { 100 - count * 100 / top }
    func bars(_ counts: [Int], _ offset: Int, _ width: Int) -> String {
      counts.enumerated().filter { $1 > 0 }.map { index, count in
        // A single sign-up among thousands is still visible.
        "M\(index * 10 + offset) 100V\(min(height(count), 99))h\(width)V100"
      }
      .joined()
    }
    // Nothing where no one leaves, so that the line does not hide small bars.
    let line = left.indices.dropFirst().filter { left[$0 - 1] + left[$0] > 0 }.map { index in
      "M\(index * 10 - 5) \(height(left[index - 1]))L\(index * 10 + 5) \(height(left[index]))"
    }
    .joined()
    let leaving: HTMLText =
      "<path class=\"halo\" d=\"\(line)\"/><path class=\"left\" d=\"\(line)\"/>"
    let rows = zip(columns.indices, columns).reversed().map { index, column -> HTMLText in
      """
      <tr><th scope="row">\(label(column))</th><td>\(requested[index].grouped)</td>\
      <td>\(confirmed[index].grouped)</td><td>\(left[index].grouped)</td></tr>

      """
    }
    let unit = period == .hours ? "Hour (UTC)" : "Day (UTC)"
    return """
      <ul class="legend"><li><i class="requested"></i>Requested</li>\
      <li><i class="confirmed"></i>Confirmed</li><li><i class="left"></i>Left</li></ul>
      <div class="plot"><span class="top">\(top.grouped)</span>\
      <svg role="img" aria-labelledby="series" viewBox="0 0 \(String(columns.count * 10)) 100" \
      preserveAspectRatio="none"><title id="series">\(finding(requested, confirmed, left))</title>\
      <path class="requested" d="\(bars(requested, 1, 8))"/>\
      <path class="confirmed" d="\(bars(confirmed, 3, 4))"/>\(leaving)</svg></div>
      <p class="axis"><span>\(label(columns.first ?? 0))</span><span>now</span></p>
      \(Self.table([unit, "Requested", "Confirmed", "Left"], rows))
      """
  }

  private func finding(_ requested: [Int], _ confirmed: [Int], _ left: [Int]) -> String {
    func sum(_ counts: [Int]) -> Int { counts.reduce(0, +) }
    let most = requested.max() ?? 0
    let peak = requested.firstIndex(of: most).map { columns[$0] } ?? 0
    return "In \(period.title), \(sum(requested).of("sign-up")), "
      + "\(sum(confirmed).of("confirmation")), and \(sum(left).grouped) left; most sign-ups, "
      + "\(most.grouped), \(period == .hours ? "in the hour from" : "on") \(label(peak))."
  }

  private func label(_ start: Int64) -> String {
    let time = Timestamp(hour: start)
    return period == .hours ? "\(time.day), \(time.clock)" : time.day
  }

  /// The outcomes of the requests of the period.
  fileprivate var funnel: HTMLText {
    var steps: [(String, Tally.Series)] = [("Requested", .requested)]
    if relay != nil { steps.append(("Mail accepted", .mailAccepted)) }
    steps += [("Confirmed", .confirmed), ("Left", .left)]
    let counts = steps.map { ($0.0, sum($0.1)) }
    let top = max(1, counts.map(\.1).max() ?? 1)
    let bars = counts.enumerated().map { index, step in
      "M0 \(index * 10 + 3)h\(step.1 * 100 / top)v4H0z"
    }
    let labels = counts.map { name, count -> HTMLText in
      "<li>\(name) <b>\(count.grouped)</b></li>"
    }
    let rows = counts.map { name, count -> HTMLText in
      "<tr><th scope=\"row\">\(name)</th><td>\(count.grouped)</td></tr>\n"
    }
    let finding = counts.map { "\($0.1.grouped) \($0.0.lowercased())" }.joined(separator: ", ")
    return """
      <div class="funnel"><ul>\(HTMLText(labels))</ul>\
      <svg role="img" aria-labelledby="funnel" viewBox="0 0 100 \(String(counts.count * 10))" \
      preserveAspectRatio="none"><title id="funnel">In \(period.title): \(finding).</title>\
      <path d="\(bars.joined())"/></svg></div>
      \(Self.table(["Step", "People or mails"], rows))
      """
  }

  private static func table(_ heads: [String], _ rows: [HTMLText]) -> HTMLText {
    let heads = heads.map { head -> HTMLText in "<th scope=\"col\">\(head)</th>" }
    return """
      <details><summary>The numbers</summary><table><thead><tr>\(HTMLText(heads))</tr></thead>
      <tbody>\(HTMLText(rows))</tbody></table></details>
      """
  }
}

// The words of the board for numbers and times. Formatters of the system need data that images do
// not have.

extension Int {
  /// The number with commas between groups of three digits, such as `1,204`.
  var grouped: String {
    let digits = Array(String(magnitude))
    var text = self < 0 ? "−" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return text
  }

  /// The number with a noun, such as `1 mail` or `2 mails`.
  func of(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }
}

extension Duration {
  /// The duration in its two largest units, such as `1 h 5 min`.
  var short: String {
    let minutes = components.seconds / 60
    return switch minutes {
    case ..<1: "\(components.seconds) s"
    case ..<60: "\(minutes) min"
    case ..<1440: minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
    default:
      minutes / 60 % 24 == 0
        ? "\(minutes / 1440) d" : "\(minutes / 1440) d \(minutes / 60 % 24) h"
    }
  }
}

extension Timestamp {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Creates the time of an hour since 1970.
  init(hour: Int64) {
    self.init(millisecondsSince1970: hour &* 3_600_000)
  }

  /// The day, such as `Nov 26`.
  var day: String {
    let text = Array(description)
    let month = Int(String(text[5..<7])).flatMap { Self.months.indices.contains($0 - 1) ? $0 : nil }
    return "\(Self.months[(month ?? 1) - 1]) \(Int(String(text[8..<10])) ?? 0)"
  }

  /// The time of the day in UTC, such as `13:02`.
  var clock: String { String(Array(description)[11..<16]) }

  /// The time as a person says it at a moment: without the day if it is the same.
  func spoken(at now: Timestamp) -> String { "\(short(at: now)) UTC" }

  /// The same without the name of the time zone.
  func short(at now: Timestamp) -> String { day == now.day ? clock : "\(day), \(clock)" }
}

extension ListEvent.Kind {
  /// The words of the board.
  var words: String {
    switch self {
    case .requested: "signed up"
    case .confirmed: "confirmed"
    case .unsubscribed: "left"
    case .suppressed: "suppressed"
    case .released: "may come back"
    case .imported: "imported"
    case .expired: "expired"
    case .erased: "erased"
    case .mailAccepted: "mail accepted"
    case .mailRejected: "mail rejected"
    }
  }
}

extension Subscriber {
  /// The address without the name, such as `a…@example.org`.
  var maskedAddress: String {
    guard let at = address.lastIndex(of: "@") else { return "…" }
    return "\(address.prefix(1))…\(address[at...])"
  }
}
