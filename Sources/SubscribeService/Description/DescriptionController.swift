internal import HTTPSignals

/// The handler of `GET /openapi.json`.
struct DescriptionController: Sendable {
  /// The document, which changes only with the program.
  private static let document = Asset(
    Array(OpenAPIDocument.text.utf8),
    mediaType: "application/json",
    maximumAge: 3600
  )

  @Sendable
  func show(_ routed: RoutedExchange) {
    routed.exchange.respond(Self.document.response(to: routed.exchange.request))
  }
}
