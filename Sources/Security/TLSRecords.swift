internal import CGnuTLS
package import Platform

/// A writer that sends a stream in TLS records, instead of the session that libmicrohttpd used on
/// that socket.
// @unchecked Sendable because one thread uses it at a time: it moves together with its socket.
package final class TLSRecordWriter: @unchecked Sendable {
  /// The maximum content that is sealed at once, in bytes; a client that does not read retains that
  /// much memory.
  private static let maximumPartBytes = 8 * 1024

  private var sealer: TLSRecordSealer
  /// The bytes of the current records that the socket has not accepted yet.
  private var unsent: ArraySlice<UInt8> = []
  private var unsentContentBytes = 0
  private var isOver = false

  /// Takes over the sending direction of an open session with no unsent bytes, whose later output
  /// does not reach the socket; `nil` if its records cannot be sealed.
  package init?(takingOver session: OpaquePointer) {
    guard let sealer = TLSRecordSealer(takingOver: session) else { return nil }
    self.sealer = sealer
    // libmicrohttpd will send close_notify, with a record number that this writer uses now.
    gnutls_transport_set_push_function(session) { _, _, count in count }
  }

  deinit { sealer.forget() }

  /// Sends content without blocking, starting with the part that was not accepted before.
  ///
  /// - Returns: The number of content bytes that were accepted. Content counts as accepted when the
  ///   socket has accepted all of its records, so the number may be 0 although the socket accepted
  ///   bytes. After `none` or a smaller number than requested, the next call must begin with the
  ///   rest.
  package func send(_ content: UnsafeRawBufferPointer, to socket: RawSocket) -> RawSocket.Sent {
    var takenBytes = 0
    var tookSome = false
    while takenBytes < content.count {
      if unsent.isEmpty {
        let part = UnsafeRawBufferPointer(
          rebasing: content[takenBytes...].prefix(Self.maximumPartBytes))
        guard !isOver, let records = sealer.seal(part, as: .applicationData) else {
          isOver = true
          return .gone
        }
        unsent = records[...]
        unsentContentBytes = part.count
      }
      switch unsent.withUnsafeBytes({ socket.send($0) }) {
      case .bytes(let count):
        tookSome = true
        unsent = unsent.dropFirst(count)
        guard unsent.isEmpty else { continue }
        unsent = []
        takenBytes += unsentContentBytes
      case .none:
        return tookSome ? .bytes(takenBytes) : .none
      case .gone:
        return .gone
      }
    }
    return .bytes(takenBytes)
  }

  /// Sends close_notify (RFC 8446 §6.1), unless the socket is in the middle of a record.
  package func finish(on socket: RawSocket) {
    guard !isOver, unsent.isEmpty else { return }
    isOver = true
    // An alert at warning level: close_notify.
    let alert: InlineArray<2, UInt8> = [1, 0]
    let records = withUnsafeBytes(of: alert) { sealer.seal($0, as: .alert) }
    if let records { records.withUnsafeBytes { _ = socket.send($0) } }
  }
}

/// A sealer that encrypts the bytes of one sender on a TLS 1.3 connection into records (RFC 8446
/// §5.2), with the key that GnuTLS has negotiated.
///
/// The service seals TLS records itself because an open event stream must cost almost nothing, and
/// a connection of libmicrohttpd with its session of GnuTLS takes 31 KiB. So a stream leaves both,
/// and keeps only its socket and the key of the sending direction, in 0.4 KiB. TLS in the kernel
/// would do the same, but many kernels lack it, and a container cannot bring it. The sealer plays
/// the part of that kernel, through the function that GnuTLS has for it: GnuTLS does the handshake
/// and all encryption, the sealer adds five bytes of header and a counter, and nothing is
/// decrypted. The decision and its alternatives are in `docs/decisions/0005-event-streams.md`.
package struct TLSRecordSealer {
  /// The content type of a record (RFC 8446 §5.1).
  package enum ContentType: UInt8 {
    case alert = 21
    case applicationData = 23
  }

  /// The maximum content of one record, in bytes.
  ///
  /// A client may negotiate shorter records (RFC 8449), and GnuTLS does not report the limit. But
  /// it ignores limits below 512 bytes, which include the byte of the content type.
  private static let maximumContentBytes = 511

  /// The maximum number of records per key; AES-GCM allows 2^24.5 records of full size (RFC 8446
  /// §5.5).
  private static let maximumRecordCount: UInt64 = 1 << 24

  private static let headerBytes = 5

  private let cipher: gnutls_cipher_algorithm_t
  private let tagBytes: Int
  private var key = InlineArray<32, UInt8>(repeating: 0)
  private let keyBytes: Int
  /// The vector that is combined with a record's number to form its nonce (RFC 8446 §5.3).
  private let initializationVector: InlineArray<12, UInt8>
  /// The number of records that were sent with the key.
  private var recordCount: UInt64

  /// Returns whether the records of a session can be sealed, which requires TLS 1.3.
  package static func canSeal(_ session: OpaquePointer) -> Bool {
    gnutls_protocol_get_version(session) == GNUTLS_TLS1_3
  }

  /// Copies the sending key of an open session with no unsent bytes, which must not send anything
  /// afterwards, because that would break the connection; `nil` if its records cannot be sealed.
  package init?(takingOver session: OpaquePointer) {
    guard Self.canSeal(session) else { return nil }
    var vector = gnutls_datum_t()
    var key = gnutls_datum_t()
    var count: UInt64 = 0
    let code = withUnsafeMutableBytes(of: &count) { bytes in
      gnutls_record_get_state(session, 0, nil, &vector, &key, bytes.baseAddress)
    }
    guard code >= 0, let keyData = key.data, let vectorData = vector.data,
      vector.size == 12, key.size <= 32
    else { return nil }
    cipher = gnutls_cipher_get(session)
    tagBytes = Int(gnutls_cipher_get_tag_size(cipher))
    keyBytes = Int(key.size)
    for index in 0..<keyBytes { self.key[index] = keyData[index] }
    initializationVector = InlineArray { vectorData[$0] }
    recordCount = UInt64(bigEndian: count)
  }

  /// Overwrites the key with zeros.
  package mutating func forget() {
    withUnsafeMutableBytes(of: &key) { gnutls_memset($0.baseAddress, 0, $0.count) }
  }

  /// Seals content, which must not be empty, into as many records as it needs; `nil` if there is not
  /// enough memory, or if the key has reached its maximum number of records.
  package mutating func seal(_ content: UnsafeRawBufferPointer, as type: ContentType) -> [UInt8]? {
    var handle: gnutls_aead_cipher_hd_t?
    let keyBytes = keyBytes
    let cipher = cipher
    // A cipher per call costs 0.15 µs; a cipher per open stream would cost 750 bytes.
    let code = withUnsafeMutableBytes(of: &key) { bytes in
      var key = gnutls_datum_t(
        data: bytes.assumingMemoryBound(to: UInt8.self).baseAddress, size: UInt32(keyBytes))
      return gnutls_aead_cipher_init(&handle, cipher, &key)
    }
    guard code >= 0, let handle else { return nil }
    defer { gnutls_aead_cipher_deinit(handle) }

    let count = (content.count + Self.maximumContentBytes - 1) / Self.maximumContentBytes
    guard recordCount + UInt64(count) <= Self.maximumRecordCount else { return nil }
    let sealedBytes = content.count + count * (Self.headerBytes + 1 + tagBytes)
    var isSealed = true
    let records = [UInt8](unsafeUninitializedCapacity: sealedBytes) { records, initializedCount in
      var records = UnsafeMutableRawBufferPointer(records)[..<sealedBytes]
      var rest = content[...]
      while !rest.isEmpty, isSealed {
        let part = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.maximumContentBytes))
        rest = rest.dropFirst(part.count)
        let record = records.prefix(Self.headerBytes + part.count + 1 + tagBytes)
        records = records.dropFirst(record.count)
        isSealed = seal(part, as: type, into: .init(rebasing: record), with: handle)
      }
      initializedCount = isSealed ? sealedBytes : 0
    }
    return isSealed ? records : nil
  }

  /// Writes a record: the header, the encrypted content and content type, and the tag.
  private mutating func seal(
    _ content: UnsafeRawBufferPointer, as type: ContentType,
    into record: UnsafeMutableRawBufferPointer, with handle: gnutls_aead_cipher_hd_t
  ) -> Bool {
    let encryptedBytes = content.count + 1
    let followingBytes = encryptedBytes + tagBytes
    // On the wire, each record looks like application data of TLS 1.2, for the sake of middleboxes.
    record[0] = ContentType.applicationData.rawValue
    record[1] = 3
    record[2] = 3
    record[3] = UInt8(truncatingIfNeeded: followingBytes >> 8)
    record[4] = UInt8(truncatingIfNeeded: followingBytes)
    let encrypted = UnsafeMutableRawBufferPointer(rebasing: record[Self.headerBytes...])
    encrypted.copyMemory(from: content)
    encrypted[content.count] = type.rawValue

    var nonce = initializationVector
    // The count is big-endian, at the end of the nonce.
    for index in 0..<8 {
      nonce[nonce.count - 1 - index] ^= UInt8(truncatingIfNeeded: recordCount >> (8 * index))
    }
    recordCount += 1
    var headerVector = giovec_t(iov_base: record.baseAddress, iov_len: Self.headerBytes)
    var encryptedVector = giovec_t(iov_base: encrypted.baseAddress, iov_len: encryptedBytes)
    var tagBytes = tagBytes
    let code = withUnsafeBytes(of: &nonce) { nonce in
      gnutls_aead_cipher_encryptv2(
        handle, nonce.baseAddress, nonce.count, &headerVector, 1, &encryptedVector, 1,
        encrypted.baseAddress.map { $0 + encryptedBytes }, &tagBytes)
    }
    return code >= 0
  }
}
