internal import Dispatch
internal import Glibc
package import MailingList
package import Signals

/// A mailer for development, which writes each mail to a file that mail programs can open.
///
/// A file is written under a temporary name and then renamed, so readers of the directory see only
/// complete mails. Only the owner may read it, because it contains an address and links. A repeated
/// attempt replaces the file.
package final class DirectoryMailer: Mailer {
  private let directory: String
  /// A serial queue for all writing, because the disk may block.
  private let queue = DispatchQueue(label: "enlist.mail.directory")

  package init(directory: String) {
    self.directory = directory
  }

  /// Writes a mail to a file, such as `20261122T080000000Z-confirm-gnbvt3o6dabbreszs5r4exib7q.eml`.
  ///
  /// The name consists of the time of the grant, the kind and the Message-ID; it never contains
  /// the address.
  ///
  /// The signal completes on the mailer's queue when the file is complete, and fails with
  /// ``DeliveryError/relayUnavailable(_:)`` if the file cannot be written.
  package func deliver(_ mail: ClaimedMail, _ message: MailMessage) -> Signal<Never, DeliveryError>
  {
    let name = Self.fileName(of: mail, message)
    return Signal { [directory, queue] observer in
      queue.async {
        do throws(DeliveryError) {
          try Self.write(message.bytes, to: name, in: directory)
          observer.complete()
        } catch {
          observer.fail(error)
        }
      }
      return nil
    }
  }

  private static func fileName(of mail: ClaimedMail, _ message: MailMessage) -> String {
    let time = mail.grantedAt.description.filter { $0.isLetter || $0.isNumber }
    return "\(time)-\(mail.kind.name)-\(message.messageID).eml"
  }

  /// Writes a file and renames it; the corresponding C functions are `open`, `write` and `rename`.
  private static func write(
    _ bytes: [UInt8], to name: String, in directory: String
  ) throws(DeliveryError) {
    let path = "\(directory)/\(name)"
    // The name is hidden, so that mail programs that watch the directory do not read the file.
    let temporary = "\(directory)/.\(name).tmp"
    // A file left behind by a killed process may have a different owner or mode.
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw lastError() }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        let error = lastError()
        Glibc.close(descriptor)
        unlink(temporary)
        throw error
      }
      written += count
    }
    guard Glibc.close(descriptor) == 0, rename(temporary, path) == 0 else {
      let error = lastError()
      unlink(temporary)
      throw error
    }
  }

  private static func lastError() -> DeliveryError {
    .relayUnavailable(DeliveryFailure(step: .file, status: Int(errno)))
  }
}
