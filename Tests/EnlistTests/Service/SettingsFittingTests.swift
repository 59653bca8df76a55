import Logging
import Microhttpd
import Platform
import Testing

@testable import enlist

/// Tests that limits on connections, streams and bodies fit the machine.
@Suite struct SettingsFittingTests {
  private func settings(
    connections: Int, streams: Int, loops: Int = 1, _ flags: [String: String] = [:]
  ) throws -> Settings {
    var flags = flags
    flags["max-connections"] = "\(connections)"
    flags["max-streams"] = "\(streams)"
    flags["threads"] = "\(loops)"
    return try .read(flags)
  }

  @Test func `limits that fit the descriptors and the memory are unchanged`() throws {
    var settings = try settings(connections: 904, streams: 452)
    #expect(settings.fit(descriptors: 1000, memoryBytes: 1 << 30).isEmpty)
    #expect(settings.maxConnections == 904)
    #expect(settings.maxStreams == 452)
    #expect(settings.bodyMemory == 64 << 20)
  }

  @Test(arguments: [(1, 904), (8, 680)])
  func `limits beyond the descriptors are lowered with a warning that lists them`(
    _ loops: Int, _ room: Int
  ) throws {
    var settings = try settings(connections: 2000, streams: 1500, loops: loops)
    let warnings = settings.fit(descriptors: 1000, memoryBytes: nil)
    #expect(settings.maxConnections == room)
    #expect(settings.maxStreams == room / 2)
    #expect(warnings.count == 1)
    for number in ["1000", "2000", "1500", "\(room)", "\(room / 2)"] {
      #expect(warnings.first?.contains(number) == true)
    }
  }

  @Test func `streams get at most half of the connections, even if set explicitly`() throws {
    var settings = try settings(connections: 100, streams: 80)
    let warnings = settings.fit(descriptors: 20_000, memoryBytes: nil)
    #expect(settings.maxConnections == 100)
    #expect(settings.maxStreams == 50)
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("max-streams from 80 to 50") == true)
  }

  @Test func `lowered limits leave at least one connection`() throws {
    var settings = try settings(connections: 2000, streams: 1500)
    _ = settings.fit(descriptors: 10, memoryBytes: nil)
    #expect(settings.maxConnections == 1)
  }

  @Test(arguments: [(200, 25), (512, 64), (1024, 128), (20_000, 256)])
  func `the operator's listener leaves most descriptors for sign-ups`(
    _ descriptors: Int, _ operatorConnections: Int
  ) throws {
    var settings = try settings(
      connections: 20_000, streams: 1500, ["operator-listen": "127.0.0.1:9"])
    let warnings = settings.fit(descriptors: descriptors, memoryBytes: nil)
    #expect(settings.operatorMaxConnections == operatorConnections)
    let isLowered = warnings.contains {
      $0.contains("operator-max-connections from 256 to \(operatorConnections)")
    }
    #expect(isLowered == (operatorConnections < 256))
    #expect(settings.maxConnections == descriptors - 128 - operatorConnections)
  }

  @Test(arguments: [(nil, 256, 64), ("1000", 1000, 250), ("2", 2, 1)] as [(String?, Int, Int)])
  func `no client gets all connections of the operator's listener`(
    _ setting: String?, _ maximum: Int, _ maximumPerClient: Int
  ) throws {
    let flags = setting.map { ["operator-max-connections": $0] } ?? [:]
    let settings = try settings(connections: 100, streams: 50, flags)
    let options = OperatorListener.options(
      .unix(path: "operator.sock"), settings, nil, Logger(label: "test"))
    #expect(options.connections.maximum == maximum)
    #expect(options.connections.maximumPerClient == maximumPerClient)
  }

  @Test func `the operator's listener leaves most of a container's memory for sign-ups`() throws {
    var settings = try settings(
      connections: 20_000, streams: 10_000,
      ["operator-listen": "127.0.0.1:9", "operator-max-connections": "50000"])
    let warnings = settings.fit(descriptors: 1 << 20, memoryBytes: 104 << 20)
    // A quarter of what is left after 40 MiB.
    #expect(settings.operatorMaxConnections == (16 << 20) / (40 << 10))
    #expect(settings.maxConnections > 600)
    #expect(warnings.contains { $0.contains("operator-max-connections from 50000 to 409") })
  }

  @Test func `limits of an operator's listener that does not exist are no reason to warn`() throws {
    var settings = try settings(connections: 50, streams: 25, ["operator-max-connections": "50000"])
    #expect(settings.fit(descriptors: 1000, memoryBytes: 1 << 30).isEmpty)
  }

  @Test func `the operator's connections count against the memory of a container`() throws {
    func connections(_ flags: [String: String]) throws -> Int {
      var settings = try settings(connections: 20_000, streams: 10_000, flags)
      _ = settings.fit(descriptors: 1 << 20, memoryBytes: 256 << 20)
      return settings.maxConnections + settings.bodyMemory / (40 << 10)
    }
    let difference =
      try connections([:]) - connections(["operator-listen": "127.0.0.1:9"])
    #expect((255...257).contains(difference))
  }

  @Test(arguments: [128, 256, 512])
  func `all limits together fit the memory of a container`(_ mebibytes: Int) throws {
    var settings = try settings(connections: 20_000, streams: 10_000)
    let warnings = settings.fit(descriptors: 1 << 20, memoryBytes: mebibytes << 20)
    let bytes = settings.maxConnections * (40 << 10) + settings.bodyMemory + (40 << 20)
    #expect(bytes <= mebibytes << 20)
    #expect(settings.maxConnections >= 1000)
    #expect(settings.maxStreams == min(10_000, settings.maxConnections / 2))
    #expect(warnings.count == 1)
    for number in ["\(mebibytes) MiB", "20000", "\(settings.maxConnections)"] {
      #expect(warnings.first?.contains(number) == true)
    }
  }
}
