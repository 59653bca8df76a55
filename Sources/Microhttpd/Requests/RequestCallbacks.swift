internal import Platform
internal import CMicrohttpd

// The callbacks for requests. As all callbacks of libmicrohttpd, they are nonisolated globals, so
// they run on the loop's thread without an actor hop. None of them throws or blocks.

/// Begins a request: its request line has arrived (`MHD_OPTION_URI_LOG_CALLBACK`).
///
/// The result is the request's context in all later callbacks. ``completedHandler`` is called for
/// each request that has begun, even if its head never arrives or libmicrohttpd rejects it.
let requestLineHandler:
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
    UnsafeMutableRawPointer? = { closure, target, connection in
      guard let closure, let target, let connection else { return nil }
      let host = Unmanaged<RequestHost>.fromOpaque(closure).takeUnretainedValue()
      let request = PendingRequest(
        host: host, connection: connection, target: RequestTarget(target, host.limits))
      // C owns the request from here on; `completedHandler` releases it.
      return Unmanaged.passRetained(request).toOpaque()
    }

/// Receives a request part by part (`MHD_AccessHandlerCallback`).
///
/// The first call brings the head. It queues a response only to reject the request, because
/// libmicrohttpd then closes the connection. The following calls bring the content. The last call,
/// with no bytes, asks for the response; libmicrohttpd repeats that call after a resume.
let accessHandler: MHD_AccessHandlerCallback = {
  _,
  connection,
  url,
  method,
  version,
  upload,
  uploadSize,
  context in
  guard let connection, let url, let method, let version, let uploadSize,
    let pointer = context?.pointee
  else {
    return .NO
  }
  // C owns the request for the whole call, so it is not retained here.
  return Unmanaged<PendingRequest>.fromOpaque(pointer)._withUnsafeGuaranteedRef { request in
    guard request.hasHead else {
      return request.begin(
        RequestHead(
          connection, url: url, method: method, version: version,
          targetByteCount: request.target.byteCount))
    }
    guard uploadSize.pointee > 0 else { return request.respond() }
    let part = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
    uploadSize.pointee = 0
    return request.receive(part)
  }
}

/// Completes a request; called once for each request that ``requestLineHandler`` has begun
/// (`MHD_OPTION_NOTIFY_COMPLETED`).
let completedHandler: MHD_RequestCompletedCallback = { _, _, context, _ in
  guard let pointer = context?.pointee else { return }
  context?.pointee = nil
  // Balances `passRetained` in `requestLineHandler`.
  Unmanaged<PendingRequest>.fromOpaque(pointer).takeRetainedValue().complete()
}
