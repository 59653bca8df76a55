import Testing

/// The mails that a relay has received from several runs of a service, of which some were killed.
///
/// Each recipient has signed up once, so each has one mail, of which there may be copies.
struct DoubledMails {
  /// The mails by their recipients.
  let copies: [String: [ReceivedMail]]

  init(_ mails: [ReceivedMail]) {
    copies = Dictionary(grouping: mails, by: \.recipient)
  }

  /// The mails that were received more than once.
  var doubled: [ReceivedMail] { copies.values.filter { $0.count > 1 }.compactMap(\.first) }

  /// Checks the promise for the death of a process: for each of its connections at most one mail is
  /// sent again, with the same Message-ID, links and code.
  ///
  /// - Parameters:
  ///   - connections: The number of connections of each run.
  ///   - sourceLocation: The location of the call.
  /// - Throws: An error if a mail has no link or no code.
  func expectAtMostOne(
    forEachOf connections: Int = 2, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var repeatedCounts: [Int: Int] = [:]
    for (recipient, mails) in copies {
      let identities = Set(
        try mails.map { mail in
          [
            mail.messageID, try mail.link("confirm"), try mail.link("unsubscribe"),
            try mail.code(),
          ]
        }
      )
      #expect(identities.count == 1, "\(recipient)", sourceLocation: sourceLocation)
      #expect(!mails[0].messageID.isEmpty, sourceLocation: sourceLocation)
      let runs = mails.compactMap(\.run).sorted()
      #expect(runs.count == mails.count, "\(recipient)", sourceLocation: sourceLocation)
      // A run that is not killed sends a mail once; what the last one sends is final.
      #expect(
        Set(runs).count == runs.count, "\(recipient): \(runs)", sourceLocation: sourceLocation)
      for run in runs.dropLast() { repeatedCounts[run, default: 0] += 1 }
    }
    for (run, count) in repeatedCounts {
      #expect(count <= connections, "run \(run)", sourceLocation: sourceLocation)
    }
  }
}
