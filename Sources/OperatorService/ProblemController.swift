internal import HTTPSignals
internal import HTTPTypes

/// The handler of `GET /problems/{name}`: the explanation of a type of problem, as plain text.
struct ProblemController: Sendable {
  let wording: ProblemWording

  @Sendable
  func explain(_ routed: RoutedExchange) {
    guard let text = routed["name"].flatMap({ wording.help(String($0)) }) else {
      routed.exchange.respond(.notFound)
      return
    }
    var response = Response(status: .ok, body: .bytes(Array("\(text)\n".utf8)))
    response.fields[.contentType] = "text/plain; charset=utf-8"
    response.fields[.cacheControl] = "public, max-age=300"
    routed.exchange.respond(response)
  }
}
