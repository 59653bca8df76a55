internal import Dispatch
package import Signals
package import MailingList

/// A deliverability lookup that uses the resolver of the C library on its own threads.
///
/// The corresponding C function is `res_nquery`, which blocks. A few lanes, each with its own
/// resolver state, make these calls, so no other thread ever waits. The resolver queries the
/// recursive server in `/etc/resolv.conf` unless another server is given.
package final class DNSResolver: Sendable {
  /// The maximum number of lookups that run or wait; a server that does not respond may block a
  /// lane for seconds.
  private static let maximumWaiting = 32

  private let lanes: [Lane]
  private let waiting = Lock<[Int]>([])

  /// Creates a resolver with its lanes, the number of lookups that run at the same time, at least
  /// 1.
  ///
  /// - Parameter server: `nil` for the system's server.
  /// - Throws: `DNSResolverError` if the C library cannot initialize a resolver state.
  package init(server: DNSServer? = nil, laneCount: Int = 4) throws(DNSResolverError) {
    var lanes: [Lane] = []
    for index in 0..<max(1, laneCount) { lanes.append(try Lane(index: index, server: server)) }
    self.lanes = lanes
    waiting.withLock { $0 = Array(repeating: 0, count: lanes.count) }
  }

  /// Looks up whether a domain accepts mail, on one of the lanes; `unknown` if all of them are
  /// busy.
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

  /// Reserves the lane with the fewest lookups; `nil` if too many lookups run or wait.
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

/// A serial queue, and the resolver state that only this queue uses.
private struct Lane: Sendable {
  let queue: DispatchQueue
  let resolver: ResolverState

  init(index: Int, server: DNSServer?) throws(DNSResolverError) {
    queue = DispatchQueue(label: "enlist.dns.\(index)")
    resolver = try ResolverState(server: server)
  }
}
