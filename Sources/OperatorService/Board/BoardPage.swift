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
    response.fields[.cacheControl] = "no-store"
    return response
  }

  // MARK: Sections

  private static func growth(_ numbers: BoardNumbers) -> HTMLText {
    let growth = BoardGrowth(numbers)
    return "<dl class=\"cards\">\(HTMLText(growth.cards.map { card($0) }))</dl>"
  }

  private static func card(_ card: BoardGrowth.Card) -> HTMLText {
    """
    <div><dt>\(card.name)</dt><dd><b>\(card.value)</b> <span>\(card.note)</span></dd></div>

    """
  }

  private static func plots(_ numbers: BoardNumbers) -> HTMLText {
    let links = BoardNumbers.Period.allCases.map { period -> HTMLText in
      let current: HTMLText = period == numbers.period ? " aria-current=\"page\"" : ""
      return "<a href=\"/board?period=\(period.rawValue)\"\(current)>\(period.title)</a> "
    }
    let heading: HTMLText = """
      <h2>Sign-ups</h2><nav aria-label="Period">\(HTMLText(links))</nav>

      """
    guard let tallies = numbers.tallies else { return "\(heading)\(unreadable)" }
    guard [.requested, .confirmed, .left].contains(where: { numbers.sum($0) > 0 }) else {
      return """
        \(heading)<p>No one has signed up in these \(numbers.period.title). New sign-ups appear here \
        within seconds.</p>
        """
    }
    let plot = BoardPlot(numbers: numbers, tallies: tallies)
    return """
      \(heading)\(plot.series)
      <h3>What became of them</h3>
      \(plot.funnel)
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
