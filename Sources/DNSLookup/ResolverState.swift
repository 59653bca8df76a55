internal import CResolver

/// The resolver of the C library with a state of its own.
// @unchecked Sendable because its lane alone uses it, one lookup after the other.
final class ResolverState: @unchecked Sendable {
  /// What is asked for (RFC 1035 §3.2.2, RFC 3596 §2.1).
  enum RecordType: Int32 {
    case a = 1
    case mx = 15
    case txt = 16
    case aaaa = 28
  }

  /// A record of the type that was asked for.
  struct Record {
    /// In seconds.
    let timeToLive: UInt32
    let data: [UInt8]
  }

  /// Why there is no answer.
  enum Failure: Error {
    /// There is no such name (NXDOMAIN).
    case noDomain
    /// The servers failed, did not answer in time, or said what cannot be read.
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

  /// Asks and waits, for about a second for each server that is silent.
  ///
  /// The corresponding C functions are `res_nquery` and `ns_parserr`.
  ///
  /// - Parameters:
  ///   - type: What is asked for.
  ///   - domain: The name, in ASCII.
  /// - Returns: The records; none when the name has none of that type.
  /// - Throws: `Failure`.
  func records(_ type: RecordType, of domain: String) throws(Failure) -> [Record] {
    // More than a domain has; a longer answer, which TCP can bring, cannot be read.
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
    _ type: RecordType,
    in answer: [UInt8],
    _ length: Int32
  ) throws(Failure) -> [Record] {
    try answer.withUnsafeBufferPointer { (answer) throws(Failure) in
      var records: [Record] = []
      var (found, timeToLive, count): (Int32, UInt32, Int32) = (0, 0, 0)
      var data: UnsafePointer<UInt8>?
      guard let start = answer.baseAddress else { return records }
      for index in Int32(0)... {
        switch cresolver_record(start, length, index, &found, &timeToLive, &data, &count) {
        case 1:
          // The others are the names on the way (CNAME).
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
