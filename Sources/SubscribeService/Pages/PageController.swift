internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The handler of `GET /`, `GET /embed.json` and `GET /problems/{name}`.
struct PageController: Sendable {
  private let pages: Pages
  private let home: [String: Asset]

  init(pages: Pages) {
    self.pages = pages
    var home: [String: Asset] = [:]
    for texts in Texts.all { home[texts.language] = pages.signUp.asset(in: texts) }
    self.home = home
  }

  @Sendable
  func show(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    let texts = Texts.preferred(by: exchange.request)
    guard let asset = home[texts.language] else { return }
    exchange.respond(
      asset.response(to: exchange.request, fields: pages.frame.policyFields(of: .live))
    )
  }

  @Sendable
  func translate(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    let texts = Texts.preferred(by: exchange.request)
    guard let response = pages.script.response(to: exchange.request, in: texts) else { return }
    exchange.respond(response)
  }

  @Sendable
  func explain(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    let texts = Texts.preferred(by: exchange.request)
    let name = routed["name"].map(String.init) ?? ""
    if let page = pages.problem.help(on: name, in: texts) {
      exchange.respond(page)
    } else {
      exchange.respond(.notFound)
    }
  }
}
