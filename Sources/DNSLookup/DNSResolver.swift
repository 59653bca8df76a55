internal import Dispatch
internal import Locks
package import MailingList
package import Signals

/// Looks domains up with the resolver of the C library, on threads of its own.
///
/// The corresponding C function is `res_nquery`, which blocks; so a few lanes do nothing else, each
/// with a state of its own, and no other thread ever waits. What is asked is the recursive server of
/// `/etc/resolv.conf`, unless another one is given.
package final class DNSResolver: DeliverabilityLookup {
  /// How many lookups may run or wait; a lane may be held up for seconds by servers that are silent.
  private static let maximumWaiting = 32

  private let lanes: [Lane]
  private let waiting = Lock<[Int]>([])

  /// Makes the lanes.
  ///
  /// - Parameters:
  ///   - server: Who is asked; `nil` asks the system's.
  ///   - laneCount: How many lookups run at one time, 1 or more.
  /// - Throws: `DNSResolverError` when there is no memory, or the system's settings cannot be read.
  package init(server: DNSServer? = nil, laneCount: Int = 4) throws(DNSResolverError) {
    var lanes: [Lane] = []
    for index in 0..<max(1, laneCount) { lanes.append(try Lane(index: index, server: server)) }
    self.lanes = lanes
    waiting.withLock { $0 = Array(repeating: 0, count: lanes.count) }
  }

  package func lookUp(_ domain: String) -> Signal<DeliverabilityFinding, Never> {
    Signal { observer in
      guard let index = self.takeLane() else {
        observer.send(DeliverabilityFinding(.unknown(.busy)))
        observer.complete()
        return nil
      }
      let lane = self.lanes[index]
      lane.queue.async {
        let finding = MailRoute.find(domain, using: lane.resolver)
        self.waiting.withLock { $0[index] -= 1 }
        observer.send(finding)
        observer.complete()
      }
      return nil
    }
  }

  /// The lane with the fewest lookups; `nil` when there are too many.
  private func takeLane() -> Int? {
    waiting.withLock { waiting in
      guard waiting.reduce(0, +) < Self.maximumWaiting,
        let index = waiting.indices.min(by: { waiting[$0] < waiting[$1] })
      else { return nil }
      waiting[index] += 1
      return index
    }
  }
}

/// A thread at a time, and the resolver that only it uses.
private struct Lane: Sendable {
  let queue: DispatchQueue
  let resolver: ResolverState

  init(index: Int, server: DNSServer?) throws(DNSResolverError) {
    queue = DispatchQueue(label: "enlist.dns.\(index)")
    resolver = try ResolverState(server: server)
  }
}
