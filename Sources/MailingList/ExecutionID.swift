internal import Glibc
internal import Signals

/// The public id of an execution; knowing it is the only credential for reading its messages.
///
/// An id has 22 bytes: 48 bits of Unix time in milliseconds, so that an index over ids is appended
/// to, and 128 random bits, so that ids cannot be guessed. Its text is 36 characters of base32hex
/// in lowercase (RFC 4648 §7), which are safe in URLs and sort like the bytes.
package struct ExecutionID: Hashable, Sendable {
  package static let byteCount = 22
  package static let characterCount = 36
  /// The time for which an execution is known.
  ///
  /// With a longer time, the purge of unconfirmed sign-ups would reveal, a month later, which
  /// executions were those of subscribers.
  package static let lifetime: Duration = .seconds(86_400)

  private let time: UInt64
  private let high: UInt64
  private let low: UInt64

  package init(at time: Timestamp, using generator: inout some RandomNumberGenerator) {
    self.time = UInt64(clamping: time.millisecondsSince1970) & 0xFFFF_FFFF_FFFF
    high = generator.next()
    low = generator.next()
  }

  /// Creates an id from its 22 bytes; `nil` if they are invalid.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    var rest = bytes[...]
    func take(_ count: Int) -> UInt64 {
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
    }
    time = take(6)
    high = take(8)
    low = take(8)
  }

  /// Parses the text of an id, 36 characters of base32hex in lowercase; `nil` if it is invalid.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == Self.characterCount else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    var bits: UInt32 = 0
    var bitCount = 0
    for character in text.utf8 {
      let digit: UInt8
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "v"): digit = character - UInt8(ascii: "a") + 10
      default: return nil
      }
      bits = bits << 5 | UInt32(digit)
      bitCount += 5
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        bits &= (1 << UInt32(bitCount)) - 1
      }
    }
    // The last character holds one bit of the id. The other four must be zero; otherwise several
    // texts would name the same id.
    guard bits == 0 else { return nil }
    self.init(bytes: bytes)
  }

  /// The time at which the id was created.
  package var madeAt: Timestamp { Timestamp(millisecondsSince1970: Int64(time)) }

  /// Returns whether the execution is not older than ``lifetime``.
  package func isKnown(at now: Timestamp) -> Bool {
    madeAt.adding(Self.lifetime) > now
  }

  /// The bytes, most significant first, as stored.
  package var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
      func write(_ word: UInt64, from highest: Int) {
        for shift in stride(from: highest, through: 0, by: -8) {
          buffer[count] = UInt8(truncatingIfNeeded: word >> UInt64(shift))
          count += 1
        }
      }
      write(time, from: 40)
      write(high, from: 56)
      write(low, from: 56)
    }
  }

  /// Hashes half of the random bits, which suffice to distinguish ids and which no client chooses.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(high)
  }
}

extension ExecutionID: CustomStringConvertible {
  /// The text of the id, for URLs.
  package var description: String {
    String(unsafeUninitializedCapacity: Self.characterCount) { buffer in
      // The bits of the id, from the highest bit of the first word on, followed by zeros.
      var words = (time << 16 | high >> 48, high << 16 | low >> 48, low << 16)
      for index in 0..<Self.characterCount {
        let digit = UInt8(truncatingIfNeeded: words.0 >> 59)
        buffer[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        words.0 = words.0 << 5 | words.1 >> 59
        words.1 = words.1 << 5 | words.2 >> 59
        words.2 <<= 5
      }
      return Self.characterCount
    }
  }
}

/// A pool of the system's random numbers, fetched in batches.
///
/// One system call per number would cost as much as validating an address, and an id needs two.
package final class RandomPool: RandomNumberGenerator, Sendable {
  /// The number of numbers that one call fetches; `getentropy` returns at most 256 bytes.
  private static let count = 32

  private let numbers = Lock<[UInt64]>([])

  package init() {}

  /// Returns the next number; each number is returned once.
  package func next() -> UInt64 {
    numbers.withLock { numbers in
      if numbers.isEmpty { numbers = Self.fetch() }
      return numbers.popLast() ?? .random(in: 0 ... .max)
    }
  }

  /// Fetches a batch of numbers; the corresponding C function is `getentropy`.
  private static func fetch() -> [UInt64] {
    [UInt64](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      let size = count * MemoryLayout<UInt64>.size
      // On failure the batch is empty, and the caller generates a single number instead.
      initializedCount = getentropy(buffer.baseAddress, size) == 0 ? count : 0
    }
  }
}
