import Delivery
import Foundation
import MailingList
import TestSupport
import Testing

@Suite struct DirectoryMailerTests {
  private static let name = "20261122T080000000Z-confirm-gnbvt3o6dabbreszs5r4exib7q.eml"
  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
  }

  @Test func `writes each mail to a file that only the owner may read`() async throws {
    let mail = try ClaimedMail.golden()
    let message = try MailComposer.sample().message(for: mail, at: .sample)
    _ = try await DirectoryMailer(directory: folder.path).deliver(mail, message).values()
    #expect(try names() == [Self.name])
    let path = folder(Self.name)
    #expect(FileManager.default.contents(atPath: path).map(Array.init) == message.bytes)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func `a repeated attempt replaces the file, whatever a killed process left`() async throws {
    let mail = try ClaimedMail.golden()
    let composer = try MailComposer.sample()
    let mailer = DirectoryMailer(directory: folder.path)
    try folder.write("half", to: ".\(Self.name).tmp")
    _ = try await mailer.deliver(mail, composer.message(for: mail, at: .sample)).values()
    let later = try composer.message(for: mail, at: Timestamp.sample.adding(.seconds(60)))
    _ = try await mailer.deliver(mail, later).values()
    #expect(try names() == [Self.name])
    #expect(try folder.read(Self.name) == later.text)
  }

  @Test func `each subscription writes once, and none writes nothing`() async throws {
    let mail = try ClaimedMail.golden()
    let message = try MailComposer.sample().message(for: mail, at: .sample)
    _ = DirectoryMailer(directory: folder.path).deliver(mail, message)
    #expect(try names().isEmpty)
  }

  @Test func `fails when the directory does not exist`() async throws {
    let mail = try ClaimedMail.golden()
    let message = try MailComposer.sample().message(for: mail, at: .sample)
    let mailer = DirectoryMailer(directory: folder("missing"))
    await #expect(
      throws: DeliveryError.relayUnavailable(DeliveryFailure(step: .file, status: Int(ENOENT)))
    ) {
      _ = try await mailer.deliver(mail, message).values()
    }
    #expect(try names().isEmpty)
  }
}
