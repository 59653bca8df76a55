internal import HTTPSignals
package import MailingList

extension FormField {
  /// Formats values as stored, a JSON object in the order of the owner's fields; `nil` without any.
  package static func json(_ values: [String: String], in own: [FormField]) -> String? {
    guard !values.isEmpty else { return nil }
    var json = JSONText()
    json.object { object in
      for field in own {
        if let value = values[field.name] { object.member(named: field.name, value) }
      }
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
