internal import Platform
internal import CResources
internal import HTTPSignals

/// The handler of `GET /openapi.json`.
struct DescriptionController: Sendable {
  /// The document (OpenAPI 3.1); tests compare it with the routes and the types of problems in both
  /// directions.
  static let document = Asset(
    resource_openapi().bytes, mediaType: "application/json", maximumAge: 3600)

  @Sendable
  func show(_ routed: RoutedExchange) {
    routed.exchange.respond(Self.document.response(to: routed.exchange.request))
  }
}
