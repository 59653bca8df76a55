internal import CResolver

/// An owner of one resolver state of the C library.
// @unchecked Sendable because only its lane uses it, one lookup at a time.
final class ResolverState: @unchecked Sendable {
  /// The type of a DNS record (RFC 1035 §3.2.2, RFC 3596 §2.1).
  enum RecordType: Int32 {
    case a = 1
    case mx = 15
    case txt = 16
    case aaaa = 28
  }

  /// A record of the requested type.
  struct Record {
    /// The time to live, in seconds.
    let timeToLive: UInt32
    let data: [UInt8]
  }

  /// The reason why a lookup has no answer.
  enum Failure: Error {
    /// The domain does not exist (NXDOMAIN).
    case noDomain
    /// The servers failed, did not answer in time, or sent a malformed answer.
    case tryAgain
  }

  private let state: UnsafeMutablePointer<__res_state>

  init(server: DNSServer?) throws(DNSResolverError) {
    guard let state = cresolver_open(server?.address ?? 0, server?.port ?? 0) else {
      throw .unavailable
    }
    self.state = state
  }

  deinit {
    cresolver_close(state)
  }

  /// Looks up the records of a domain; empty if the domain has no records of that type.
  ///
  /// Blocks the calling thread, for about a second per server that does not answer. The
  /// corresponding C functions are `res_nquery` and `ns_parserr`.
  func records(_ type: RecordType, of domain: String) throws(Failure) -> [Record] {
    // Larger than the answer for any real domain. TCP allows longer answers, which are rejected.
    var answer = [UInt8](repeating: 0, count: 16_384)
    let length = cresolver_ask(state, domain, type.rawValue, &answer, Int32(answer.count))
    switch -length {
    case HOST_NOT_FOUND: throw .noDomain
    case NO_DATA: return []
    case TRY_AGAIN, NO_RECOVERY: throw .tryAgain
    default: return try Self.records(type, in: answer, length)
    }
  }

  private static func records(
    _ type: RecordType, in answer: [UInt8], _ length: Int32
  ) throws(Failure) -> [Record] {
    try answer.withUnsafeBufferPointer { (answer) throws(Failure) in
      var records: [Record] = []
      var (found, timeToLive, count): (Int32, UInt32, Int32) = (0, 0, 0)
      var data: UnsafePointer<UInt8>?
      guard let start = answer.baseAddress else { return records }
      for index in Int32(0)... {
        switch cresolver_record(start, length, index, &found, &timeToLive, &data, &count) {
        case 1:
          // Any other record is an alias (CNAME).
          guard found == type.rawValue else { continue }
          let bytes = UnsafeBufferPointer(start: data, count: Int(count))
          records.append(Record(timeToLive: timeToLive, data: Array(bytes)))
        case 0: return records
        default: throw .tryAgain
        }
      }
      return records
    }
  }
}
