internal import CCurl
package import Signals
internal import MailingList
internal import Platform

/// The client that sends requests over libcurl, all of them on one thread.
package final class WebhookClient: Sendable {
  /// The timeout for a connection.
  static let connectTimeout = Duration.seconds(5)
  /// The timeout for a whole request.
  package static let timeout = Duration.seconds(15)

  private struct State {
    var waiting: [(WebhookRequest, Observer<WebhookResponse, Never>)] = []
    /// The multi handle of the running thread, which others only wake.
    var multi: Multi?
    var isClosed = false
  }

  // @unchecked Sendable because only the thread uses the handle, except for `curl_multi_wakeup`,
  // which other threads call while the lock is held.
  private struct Multi: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
  }

  package let targets: WebhookTargets
  private let authorities: TrustedAuthorities?
  private let state = Lock(State())

  /// Creates a client, which starts its thread with the first request.
  ///
  /// Create the first one before the process has other threads, because it initializes libcurl.
  ///
  /// - Parameter authorities: PEM of authorities that are trusted in addition to the system's.
  package init(_ targets: WebhookTargets, authorities: [UInt8]? = nil) {
    _ = CurlHandle.isReady
    self.targets = targets
    self.authorities = authorities.flatMap { TrustedAuthorities(adding: $0) }
  }

  package func send(_ request: WebhookRequest) -> Signal<WebhookResponse, Never> {
    Signal { observer in
      let isAccepted = self.state.withLock { state in
        if state.isClosed { return false }
        if state.multi == nil {
          guard let handle = curl_multi_init() else { return false }
          let multi = Multi(handle: handle)
          guard NamedThread.start("webhooks", { self.run(multi) }) else {
            curl_multi_cleanup(handle)
            return false
          }
          state.multi = multi
        }
        state.waiting.append((request, observer))
        if let multi = state.multi { curl_multi_wakeup(multi.handle) }
        return true
      }
      if !isAccepted { Self.end(observer, WebhookResponse(result: .connect)) }
    }
  }

  /// Ends all requests without a result, and the thread.
  package func close() {
    state.withLock { state in
      state.isClosed = true
      if let multi = state.multi { curl_multi_wakeup(multi.handle) }
    }
  }

  private static func end(_ observer: Observer<WebhookResponse, Never>, _ value: WebhookResponse) {
    observer.send(value)
    observer.complete()
  }

  // MARK: The thread

  private func run(_ multi: Multi) {
    // Few connections stay open, and each for less time than a receiver keeps it.
    ccurl_set_multi_long(multi.handle, CURLMOPT_MAXCONNECTS, 20)
    var transfers: [UnsafeMutableRawPointer: (WebhookTransfer, Observer<WebhookResponse, Never>)] =
      [:]
    while let waiting = takeWaiting() {
      for (request, observer) in waiting {
        let transfer = WebhookTransfer(request, targets, authorities: authorities?.path)
        guard let transfer, curl_multi_add_handle(multi.handle, transfer.handle) == CURLM_OK else {
          Self.end(observer, WebhookResponse(result: .connect))
          continue
        }
        transfers[transfer.handle] = (transfer, observer)
      }
      var running: Int32 = 0
      curl_multi_perform(multi.handle, &running)
      var count: Int32 = 0
      while let message = curl_multi_info_read(multi.handle, &count) {
        guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
          let (transfer, observer) = transfers.removeValue(forKey: handle)
        else { continue }
        let response = transfer.response(ccurl_result(message))
        // The transfer must not free its handle before.
        withExtendedLifetime(transfer) { _ = curl_multi_remove_handle(multi.handle, handle) }
        Self.end(observer, response)
      }
      if running == Int32(transfers.count) {
        curl_multi_poll(multi.handle, nil, 0, 60_000, nil)
      }
    }
    for (transfer, observer) in transfers.values {
      curl_multi_remove_handle(multi.handle, transfer.handle)
      observer.complete()
    }
    transfers = [:]
    let rest = state.withLock { state in
      defer { state.waiting = [] }
      state.multi = nil
      curl_multi_cleanup(multi.handle)
      return state.waiting
    }
    for (_, observer) in rest { observer.complete() }
  }

  /// Takes the new requests; `nil` if the client is closed.
  private func takeWaiting() -> [(WebhookRequest, Observer<WebhookResponse, Never>)]? {
    state.withLock { state in
      if state.isClosed { return nil }
      defer { state.waiting = [] }
      return state.waiting
    }
  }
}
