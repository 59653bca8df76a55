internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals

// The callbacks that libmicrohttpd is given. They are nonisolated globals, so that they run on the
// loop's thread without asking for an actor; nothing in them throws or blocks.

/// Called for each part of a request (`MHD_AccessHandlerCallback`).
///
/// The first call brings the head. It is never answered there, save to reject it, because
/// libmicrohttpd then closes the connection. The following calls bring the content, and the last,
/// with no bytes, asks for the answer; after a resume it is that one again.
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
    // C holds the request from here on; `completedHandler` takes it back.
    context.pointee = Unmanaged.passRetained(request).toOpaque()
    server.opened(request)
    return request.begin()
  }
  // Held by C for the whole call, so it is not held here as well.
  return Unmanaged<PendingRequest>.fromOpaque(pointer)._withUnsafeGuaranteedRef { request in
    guard uploadSize.pointee > 0 else { return request.respond() }
    let part = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
    uploadSize.pointee = 0
    return request.receive(part)
  }
}

/// Called when a request line has arrived (`MHD_OPTION_URI_LOG_CALLBACK`).
///
/// What it returns is what the access handler finds as the context of the request: nothing yet.
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

/// Called for each connection before anything is spent on it (`MHD_AcceptPolicyCallback`).
let acceptPolicy: MHD_AcceptPolicyCallback = { closure, address, _ in
  guard let closure else { return .NO }
  let server = Unmanaged<ServerLoop>.fromOpaque(closure).takeUnretainedValue()
  return server.accepts(ClientAddress(address)) ? .YES : .NO
}

/// Called once for each request whose head was handled (`MHD_OPTION_NOTIFY_COMPLETED`).
let completedHandler: MHD_RequestCompletedCallback = { closure, _, context, _ in
  guard let closure, let pointer = context?.pointee else { return }
  context?.pointee = nil
  // The twin of `passRetained` in `accessHandler`.
  let request = Unmanaged<PendingRequest>.fromOpaque(pointer).takeRetainedValue()
  request.complete()
  Unmanaged<ServerLoop>.fromOpaque(closure).takeUnretainedValue().closed(request)
}

/// Called when a connection begins and before its socket is closed (`MHD_OPTION_NOTIFY_CONNECTION`).
let connectionHandler: MHD_NotifyConnectionCallback = { closure, connection, context, event in
  guard let closure, let connection, let context else { return }
  let server = Unmanaged<ServerLoop>.fromOpaque(closure).takeUnretainedValue()
  if event == .CONNECTION_NOTIFY_STARTED {
    let client = ClientConnection(
      connection,
      maximumExchanges: server.configuration.maximumExchangesPerConnection,
      at: server.loop.now
    )
    client.security = server.tlsAcceptor?.secure(connection, on: server.loop)
    // C holds it from here on, until it says that the connection is closed.
    context.pointee = Unmanaged.passRetained(client).toOpaque()
    // The streams of all loops are shared among them.
    let streamCount = server.streams.directCount / server.configuration.loopCount
    server.connections.opened(client, beside: streamCount)
  } else if let pointer = context.pointee {
    context.pointee = nil
    server.heads.forget(connection)
    // The twin of `passRetained` above.
    server.connections.closed(Unmanaged<ClientConnection>.fromOpaque(pointer).takeRetainedValue())
  }
}

/// Leaves percent-encoding as it is (`MHD_OPTION_UNESCAPE_CALLBACK`): decoded by libmicrohttpd,
/// `/status%00x` would be `/status`.
let unescapeHandler:
  @convention(c) (
    UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
  ) -> Int = { _, _, text in
    text.map { strlen($0) } ?? 0
  }

/// Takes libmicrohttpd's own messages to the log (`MHD_OPTION_EXTERNAL_LOGGER`).
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

/// Reads the content of an answer to HEAD, which has none.
let noReader: MHD_ContentReaderCallback = { _, _, _, _ in MHD_CONTENT_READER_END_OF_STREAM }

/// Lets go of an event stream (`MHD_ContentReaderFreeCallback`).
let streamFreeHandler: MHD_ContentReaderFreeCallback = { closure in
  guard let closure else { return }
  // The twin of `passRetained` in `ServerLoop.makeResponse(of:for:)`.
  Unmanaged<LibraryStream>.fromOpaque(closure).takeRetainedValue().close()
}

/// Adds a header field or a pair of the query to a `PairCollector` (`MHD_KeyValueIteratorN`).
let pairHandler: MHD_KeyValueIteratorN = { closure, kind, name, nameSize, value, valueSize in
  guard let closure else { return .NO }
  // What `RequestHead` gives, for the time of the call.
  closure.assumingMemoryBound(to: PairCollector.self).pointee.add(
    kind,
    name: UnsafeBufferPointer(start: name, count: name == nil ? 0 : nameSize),
    value: UnsafeBufferPointer(start: value, count: value == nil ? 0 : valueSize)
  )
  return .YES
}

/// Looks at where header fields and pairs of the query are (`MHD_KeyValueIteratorN`).
let layoutHandler: MHD_KeyValueIteratorN = { closure, kind, name, nameSize, value, valueSize in
  guard let closure else { return .NO }
  if kind == .COOKIE_KIND || CookieMarker.isMarker(name) { return .YES }
  // What `RequestHead` gives, for the time of the call.
  closure.assumingMemoryBound(to: FieldLayout.self).pointee.add(
    kind,
    name: UnsafeBufferPointer(start: name, count: nameSize),
    value: value.map { UnsafeBufferPointer(start: $0, count: valueSize) }
  )
  return .YES
}
