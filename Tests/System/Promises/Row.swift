import TestSupport
import Testing

/// A row of a table: a request, and what it gets.
///
/// A failure is shown at the line of its row.
struct Row {
  let request: String
  let fields: [String]
  let body: String?
  let status: Int
  let problem: String?
  let location: SourceLocation

  /// - Parameters:
  ///   - request: The method and the path.
  ///   - status: The status of the response.
  ///   - problem: The name of its problem.
  ///   - form: A body as a form sends it.
  ///   - json: A body in JSON.
  ///   - type: The media type, if it is another one.
  ///   - fields: Further header fields.
  ///   - location: The place of the row.
  init(
    _ request: String, _ status: Int, _ problem: String? = nil, form: String? = nil,
    json: String? = nil, as type: String? = nil, fields: [String] = [],
    location: SourceLocation = #_sourceLocation
  ) {
    self.request = request
    let type =
      type ?? form.map { _ in "application/x-www-form-urlencoded" }
      ?? json.map { _ in "application/json" }
    self.fields = (type.map { ["Content-Type: \($0)"] } ?? []) + fields
    body = form ?? json
    (self.status, self.problem, self.location) = (status, problem, location)
  }
}

extension Enlist {
  /// Expects what each row says, and of each problem what all problems promise.
  ///
  /// - Parameter key: A key of the operator; the requests go to the operator's listener.
  func expect(_ rows: [Row], key: String? = nil) throws {
    for row in rows {
      let words = row.request.split(separator: " ", maxSplits: 1).map(String.init)
      let response =
        if let key {
          try operatorRequest(
            words[0], words[1], key: key.isEmpty ? nil : key, fields: row.fields, body: row.body)
        } else {
          try send(words[0], words[1], fields: row.fields, body: row.body)
        }
      let location = row.location
      response.expect(row.status, row.problem, sourceLocation: location)
      #expect(
        (response["Allow"] != nil) == (row.status == 405), "\(row.request): \(response)",
        sourceLocation: location)
      #expect(
        (response["Accept-Post"] != nil) == (row.status == 415), "\(row.request): \(response)",
        sourceLocation: location)
      if row.problem != nil {
        #expect(
          response["Content-Type"] == "application/problem+json", "\(row.request)",
          sourceLocation: location)
      }
    }
  }
}
