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
  func expect(_ rows: [Row]) throws {
    for row in rows {
      row.expect(try send(row.method, row.path, fields: row.fields, body: row.body))
    }
  }

  /// Expects the same of the operator's listener.
  func expectAtOperator(_ rows: [Row], key: String? = nil) throws {
    for row in rows {
      row.expect(
        try operatorRequest(row.method, row.path, key: key, fields: row.fields, body: row.body))
    }
  }
}

extension Row {
  fileprivate var method: String { String(request.prefix { $0 != " " }) }

  fileprivate var path: String { String(request.drop { $0 != " " }.dropFirst()) }

  fileprivate func expect(_ response: Client.Response) {
    response.expect(status, problem, sourceLocation: location)
    #expect(
      (response["Allow"] != nil) == (status == 405), "\(request): \(response)",
      sourceLocation: location)
    #expect(
      (response["Accept-Post"] != nil) == (status == 415), "\(request): \(response)",
      sourceLocation: location)
    if problem != nil {
      #expect(
        response["Content-Type"] == "application/problem+json", "\(request)",
        sourceLocation: location)
    }
  }
}
