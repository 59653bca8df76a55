import Testing

@testable import Enlist

@Suite struct DescriptorLimitTests {
  private func settings(connections: Int, streams: Int) throws -> Settings {
    let flags = ["max-connections": "\(connections)", "max-streams": "\(streams)"]
    return try Settings(SettingLayers(flags: flags, configuration: nil, environment: [:]))
  }

  @Test func `numbers that fit stay as they are`() throws {
    let (fitted, warning) = try settings(connections: 936, streams: 936)
      .fitted(toDescriptors: 1000)
    #expect(fitted.maxConnections == 936)
    #expect(fitted.maxStreams == 936)
    #expect(warning == nil)
  }

  @Test func `numbers that do not fit are lowered with a warning that names them`() throws {
    let (fitted, warning) = try settings(connections: 2000, streams: 1500)
      .fitted(toDescriptors: 1000)
    #expect(fitted.maxConnections == 936)
    #expect(fitted.maxStreams == 936)
    for number in ["1000", "2000", "1500", "936"] {
      #expect(warning?.contains(number) == true)
    }
  }

  @Test func `at least one connection is left`() throws {
    let (fitted, _) = try settings(connections: 2000, streams: 1500).fitted(toDescriptors: 10)
    #expect(fitted.maxConnections == 1)
  }
}
