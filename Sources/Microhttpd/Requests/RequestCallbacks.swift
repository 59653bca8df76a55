internal import ASCII
internal import CMicrohttpd

// The callbacks for requests. As all callbacks of libmicrohttpd, they are nonisolated globals, so
// they run on the loop's thread without an actor hop. None of them throws or blocks.

/// Receives a request part by part (`MHD_AccessHandlerCallback`).
///
/// The first call brings the head. It queues a response only to reject the request, because
/// libmicrohttpd then closes the connection. The following calls bring the content. The last call,
/// with no bytes, asks for the response; libmicrohttpd repeats that call after a resume.
let accessHandler: MHD_AccessHandlerCallback = {
  closure,
  connection,
  url,
  method,
  version,
  upload,
  uploadSize,
  context in
  guard let closure, let connection, let url, let method, let version, let uploadSize, let context
  else {
    return .NO
  }
  guard let pointer = context.pointee else {
    let host = Unmanaged<RequestHost>.fromOpaque(closure).takeUnretainedValue()
    let head = RequestHead(
      connection,
      url: url,
      method: method,
      version: version,
      watch: host.heads
    )
    let request = PendingRequest(host: host, connection: connection, head: head)
    // C owns the request from here on; `completedHandler` releases it.
    context.pointee = Unmanaged.passRetained(request).toOpaque()
    host.opened(request)
    return request.begin()
  }
  // C owns the request for the whole call, so it is not retained here.
  return Unmanaged<PendingRequest>.fromOpaque(pointer)._withUnsafeGuaranteedRef { request in
    guard uploadSize.pointee > 0 else { return request.respond() }
    let part = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
    uploadSize.pointee = 0
    return request.receive(part)
  }
}

/// Completes a request; called once for each request that has reached ``accessHandler``
/// (`MHD_OPTION_NOTIFY_COMPLETED`).
let completedHandler: MHD_RequestCompletedCallback = { closure, _, context, _ in
  guard let closure, let pointer = context?.pointee else { return }
  context?.pointee = nil
  // Balances `passRetained` in `accessHandler`.
  let request = Unmanaged<PendingRequest>.fromOpaque(pointer).takeRetainedValue()
  request.complete()
  Unmanaged<RequestHost>.fromOpaque(closure).takeUnretainedValue().closed(request)
}
