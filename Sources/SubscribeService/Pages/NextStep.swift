internal import MailingList

/// The next step for the owner of an address after a sign-up, as described on pages.
enum NextStep: String, Sendable {
  /// No step: opt-in is single.
  case none
  /// Pressing the button on the page of the mail's link.
  case link
  /// Pressing that button, or typing the code of the mail.
  case code

  init(_ optIn: OptIn, sendsCode: Bool) {
    self =
      switch optIn {
      case .single: .none
      case .double: sendsCode ? .code : .link
      }
  }

  /// Returns the text that describes the step; `nil` without one.
  func text(in texts: Texts) -> String? {
    switch self {
    case .none: nil
    case .link: texts[.codeNone]
    case .code: texts[.codeIntro]
    }
  }
}
