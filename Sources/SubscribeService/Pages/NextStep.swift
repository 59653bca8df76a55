internal import MailingList

/// What is left to do for the owner of an address after a sign-up, as pages say.
enum NextStep: String, Sendable {
  /// Nothing: opt-in is single.
  case none
  /// Pressing the button that the mail leads to.
  case link
  /// Pressing that button, or typing the code of the mail.
  case code

  /// Determines the step.
  init(_ optIn: OptIn, sendsCode: Bool) {
    self =
      switch optIn {
      case .single: .none
      case .double: sendsCode ? .code : .link
      }
  }

  /// Returns the text that asks for it; `nil` if nothing is left to do.
  func text(in texts: Texts) -> String? {
    switch self {
    case .none: nil
    case .link: texts[.codeNone]
    case .code: texts[.codeIntro]
    }
  }
}
