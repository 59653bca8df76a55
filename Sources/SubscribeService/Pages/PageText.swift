internal import HTTPSignals

/// The texts of the pages.
enum PageText: String, TextKey {
  case title = "page.title"
  case intro = "page.intro"
  case label = "page.label"
  case button = "page.button"
  /// `{}` is the suggestion, also for `embed.js`.
  case suggestion = "page.suggestion"
  case back = "page.back"
  case again = "page.again"
  /// `{list}` is the name of the list, as in all texts below.
  case site = "page.site"
  case privacy = "page.privacy"
  case imprint = "page.imprint"
  /// The message of `embed.js` if the service is unreachable, or does not allow the page.
  case unreachable = "page.unreachable"
  case started = "status.started"
  case completed = "status.completed"
  case failed = "status.failed"
  case thanksNext = "thanks.next"
  case confirmTitle = "confirm.title"
  case confirmIntro = "confirm.intro"
  case confirmButton = "confirm.button"
  case confirmDone = "confirm.done"
  case confirmDoneIntro = "confirm.doneIntro"
  case confirmAlready = "confirm.already"
  case confirmExpired = "confirm.expired"
  case confirmExpiredIntro = "confirm.expiredIntro"
  case confirmRenew = "confirm.renew"
  case confirmRenewed = "confirm.renewed"
  case leaveTitle = "leave.title"
  case leaveIntro = "leave.intro"
  case leaveButton = "leave.button"
  case leaveDone = "leave.done"
  case leaveDoneIntro = "leave.doneIntro"
  case leaveBack = "leave.back"
  case codeTitle = "code.title"
  /// `{address}` is the typed address.
  case codeSent = "code.sent"
  /// Follows ``codeSent``.
  case codePress = "code.press"
  case codeIntro = "code.intro"
  /// Replaces ``codeIntro`` if mails have no code.
  case codeNone = "code.none"
  case codeButton = "code.button"
  case codeConfirmed = "code.confirmed"
  case codeWrongAddress = "code.wrongAddress"
  case problem = "problem.title"
}

/// The texts of problems for visitors, who neither run the service nor write programs for it.
enum VisitorText: String, TextKey {
  case missing = "visitor.missing"
  case missingTitle = "visitor.missingTitle"
  case wait = "visitor.wait"
  case waitTitle = "visitor.waitTitle"
  case elsewhere = "visitor.elsewhere"
  case otherSite = "visitor.otherSite"
  case unreadable = "visitor.unreadable"
  case failed = "visitor.failed"
}
