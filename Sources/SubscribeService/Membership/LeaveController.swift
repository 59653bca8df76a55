internal import HTTPSignals
internal import MailingList
internal import Security

/// The handlers of `/unsubscribe/{token}`: a page that changes nothing, and leaving the list.
///
/// The link is that of a mail or of an export.
///
/// Mail programs send the POST themselves (RFC 8058), with a form, a multipart form, or no body,
/// and without cookies. They do not follow redirects.
struct LeaveController: Sendable {
  let links: LinkResponses

  /// Shows the page with one button, in every state.
  @Sendable
  func show(_ routed: RoutedExchange) {
    let page = links.pages.leave
    links.look(routed, for: .unsubscribe) { status, _, texts in
      switch status {
      case .unknown: nil
      case .usable, .done, .gone: page.question(in: texts)
      }
    }
  }

  /// Removes the person from the list; the request can be repeated.
  @Sendable
  func leave(_ routed: RoutedExchange) {
    let request = routed.exchange.request
    let means: ConsentMeans = request.isOneClick ? .oneClick : .link
    links.change(
      routed,
      by: { token, request in links.store.leave(links.leaveProof(of: token), by: means, request) }
    ) { result, _, _, texts in
      switch result {
      case .left, .already:
        request.prefersHTML ? links.pages.leave.done(in: texts) : .state("unsubscribed")
      case .unknown: nil
      }
    }
  }
}

extension Request {
  /// Whether a mail program sends the request on a click (RFC 8058 §3.1).
  fileprivate var isOneClick: Bool {
    guard let fields = try? BodyFields.decode(self),
      let value = try? fields.value("List-Unsubscribe")
    else { return false }
    return value == .text("One-Click")
  }
}
