internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals

// The callbacks that libmicrohttpd calls. They are nonisolated globals, so they run on the loop's
// thread without an actor hop. None of them throws or blocks.

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
    let server = Unmanaged<ServerLoop>.fromOpaque(closure).takeUnretainedValue()
    let head = RequestHead(
      connection,
      url: url,
      method: method,
      version: version,
      watch: server.heads
    )
    let request = PendingRequest(server: server, connection: connection, head: head)
    // C owns the request from here on; `completedHandler` releases it.
    context.pointee = Unmanaged.passRetained(request).toOpaque()
    server.opened(request)
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

/// Inspects the raw head once the request line has arrived (`MHD_OPTION_URI_LOG_CALLBACK`).
///
/// Its result is the request's context at the first call of ``accessHandler``: `nil`, since there
/// is no `PendingRequest` yet.
let requestLineHandler:
  @convention(c) (
    UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
  ) -> UnsafeMutableRawPointer? = { closure, target, connection in
    guard let closure, let target, let connection else { return nil }
    Unmanaged<ServerLoop>.fromOpaque(closure)._withUnsafeGuaranteedRef { server in
      if let problem = server.heads.requestLineArrived(target, of: connection) {
        server.reject(connection, with: problem)
      }
    }
    return nil
  }

/// Decides whether a connection is accepted, before libmicrohttpd sets it up
/// (`MHD_AcceptPolicyCallback`).
let acceptPolicy: MHD_AcceptPolicyCallback = { closure, address, _ in
  guard let closure else { return .NO }
  let server = Unmanaged<ServerLoop>.fromOpaque(closure).takeUnretainedValue()
  return server.accepts(ClientAddress(address)) ? .YES : .NO
}

/// Completes a request; called once for each request that has reached ``accessHandler``
/// (`MHD_OPTION_NOTIFY_COMPLETED`).
let completedHandler: MHD_RequestCompletedCallback = { closure, _, context, _ in
  guard let closure, let pointer = context?.pointee else { return }
  context?.pointee = nil
  // Balances `passRetained` in `accessHandler`.
  let request = Unmanaged<PendingRequest>.fromOpaque(pointer).takeRetainedValue()
  request.complete()
  Unmanaged<ServerLoop>.fromOpaque(closure).takeUnretainedValue().closed(request)
}

/// Adds a connection when it opens, and removes it before its socket is closed
/// (`MHD_OPTION_NOTIFY_CONNECTION`).
let connectionHandler: MHD_NotifyConnectionCallback = { closure, connection, context, event in
  guard let closure, let connection, let context else { return }
  let server = Unmanaged<ServerLoop>.fromOpaque(closure).takeUnretainedValue()
  if event == .CONNECTION_NOTIFY_STARTED {
    let client = server.connections.makeConnection(connection, at: server.loop.now)
    client.security = server.shared.tlsAcceptor?.secure(connection, on: server.loop)
    // C owns it from here on, until the call that reports the close of the connection.
    context.pointee = Unmanaged.passRetained(client).toOpaque()
    // The streams of all loops run on one thread, so each loop counts an equal share of them.
    let streamCount = server.streams.directCount / server.shared.loopCount
    server.connections.opened(client, beside: streamCount)
  } else if let pointer = context.pointee {
    context.pointee = nil
    server.heads.forget(connection)
    // Balances `passRetained` above.
    server.connections.closed(Unmanaged<ClientConnection>.fromOpaque(pointer).takeRetainedValue())
  }
}

/// Leaves percent-encoding unchanged (`MHD_OPTION_UNESCAPE_CALLBACK`): if libmicrohttpd decoded it,
/// `/status%00x` would become `/status`.
let unescapeHandler:
  @convention(c) (
    UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
  ) -> Int = { _, _, text in
    text.map { strlen($0) } ?? 0
  }

/// Forwards libmicrohttpd's messages to the log (`MHD_OPTION_EXTERNAL_LOGGER`).
let logHandler: MHD_LogCallback = { closure, format, arguments in
  guard let closure, let format, let arguments else { return }
  var line = [CChar](repeating: 0, count: 512)
  vsnprintf(&line, line.count, format, arguments)
  let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  Unmanaged<ServerLoop>.fromOpaque(closure).takeUnretainedValue().log(text)
}

/// Reads the next bytes of an event stream (`MHD_ContentReaderCallback`).
let streamReader: MHD_ContentReaderCallback = { closure, _, buffer, size in
  guard let closure, let buffer else { return MHD_CONTENT_READER_END_WITH_ERROR }
  let stream = Unmanaged<LibraryStream>.fromOpaque(closure).takeUnretainedValue()
  return stream.write(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
}

/// Ends the content of a response to HEAD, which is empty (`MHD_ContentReaderCallback`).
let noReader: MHD_ContentReaderCallback = { _, _, _, _ in MHD_CONTENT_READER_END_OF_STREAM }

/// Releases an event stream (`MHD_ContentReaderFreeCallback`).
let streamFreeHandler: MHD_ContentReaderFreeCallback = { closure in
  guard let closure else { return }
  // Balances `passRetained` in `StreamRegistry.makeLibraryStream(of:for:on:)`.
  Unmanaged<LibraryStream>.fromOpaque(closure).takeRetainedValue().close()
}

/// Adds a header field or a query pair to a `PairCollector` (`MHD_KeyValueIteratorN`).
let pairHandler: MHD_KeyValueIteratorN = { closure, kind, name, nameSize, value, valueSize in
  guard let closure else { return .NO }
  // `RequestHead` passes the collector, which is valid during the call.
  closure.assumingMemoryBound(to: PairCollector.self).pointee.add(
    kind,
    name: UnsafeBufferPointer(start: name, count: name == nil ? 0 : nameSize),
    value: UnsafeBufferPointer(start: value, count: value == nil ? 0 : valueSize)
  )
  return .YES
}

/// Adds the position of a header field or a query pair to a `FieldLayout`
/// (`MHD_KeyValueIteratorN`).
let layoutHandler: MHD_KeyValueIteratorN = { closure, kind, name, nameSize, value, valueSize in
  guard let closure else { return .NO }
  if kind == .COOKIE_KIND || CookieMarker.isMarker(name) { return .YES }
  // `RequestHead` passes the layout, which is valid during the call.
  closure.assumingMemoryBound(to: FieldLayout.self).pointee.add(
    kind,
    name: UnsafeBufferPointer(start: name, count: nameSize),
    value: value.map { UnsafeBufferPointer(start: $0, count: valueSize) }
  )
  return .YES
}
