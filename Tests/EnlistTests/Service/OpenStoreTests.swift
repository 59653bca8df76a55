import Logging
import MailingList
import SQLiteStorage
import Signals
import Testing

@testable import enlist

@Suite struct OpenStoreTests {
  @Test(arguments: OptIn.allCases)
  func `the service purges its store every hour`(optIn: OptIn) throws {
    let settings = try Settings.read()
    let configuration = storeConfiguration(
      settings, optIn, deliverOn: ImmediateScheduler(), logger: Logger(label: "test"))
    #expect(configuration.purgeInterval == .seconds(3600))
    #expect(configuration.optIn == optIn)
  }
}
