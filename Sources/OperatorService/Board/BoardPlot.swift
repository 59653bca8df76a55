internal import HTTPSignals
internal import MailingList

/// The plots of the board: inline SVG with a title that states the finding, and a table with the
/// same numbers.
///
/// A plot is stretched to the width of the page, so all text is outside.
struct BoardPlot {
  let numbers: BoardNumbers
  let tallies: TallyTable

  /// Requested and confirmed as bars, left as a line.
  var series: HTMLText {
    let columns = numbers.columns
    func counts(_ series: Tally.Series) -> [Int] {
      columns.map { tallies[series, numbers.period.resolution, $0] }
    }
    let (requested, confirmed, left) = (counts(.requested), counts(.confirmed), counts(.left))
    let top = max(1, (requested + confirmed + left).max() ?? 1)
    func height(_ count: Int) -> Int { 100 - count * 100 / top }
    func bars(_ counts: [Int], _ offset: Int, _ width: Int) -> String {
      counts.enumerated().filter { $1 > 0 }.map { index, count in
        // A single sign-up among thousands is still visible.
        "M\(index * 10 + offset) 100V\(min(height(count), 99))h\(width)V100"
      }
      .joined()
    }
    // Nothing where no one leaves, so that the line does not hide small bars.
    let line = left.indices.dropFirst().filter { left[$0 - 1] + left[$0] > 0 }.map { index in
      "M\(index * 10 - 5) \(height(left[index - 1]))L\(index * 10 + 5) \(height(left[index]))"
    }
    .joined()
    let leaving: HTMLText =
      "<path class=\"halo\" d=\"\(line)\"/><path class=\"left\" d=\"\(line)\"/>"
    let rows = zip(columns.indices, columns).reversed().map { index, column -> HTMLText in
      """
      <tr><th scope="row">\(label(column))</th><td>\(requested[index].grouped)</td>\
      <td>\(confirmed[index].grouped)</td><td>\(left[index].grouped)</td></tr>

      """
    }
    let unit = numbers.period == .hours ? "Hour (UTC)" : "Day (UTC)"
    return """
      <ul class="legend"><li><i class="requested"></i>Requested</li>\
      <li><i class="confirmed"></i>Confirmed</li><li><i class="left"></i>Left</li></ul>
      <div class="plot"><span class="top">\(top.grouped)</span>\
      <svg role="img" aria-labelledby="series" viewBox="0 0 \(String(columns.count * 10)) 100" \
      preserveAspectRatio="none"><title id="series">\(finding(requested, confirmed, left))</title>\
      <path class="requested" d="\(bars(requested, 1, 8))"/>\
      <path class="confirmed" d="\(bars(confirmed, 3, 4))"/>\(leaving)</svg></div>
      <p class="axis"><span>\(label(columns.first ?? 0))</span><span>now</span></p>
      \(Self.table([unit, "Requested", "Confirmed", "Left"], rows))
      """
  }

  private func finding(_ requested: [Int], _ confirmed: [Int], _ left: [Int]) -> String {
    func sum(_ counts: [Int]) -> Int { counts.reduce(0, +) }
    let most = requested.max() ?? 0
    let peak = requested.firstIndex(of: most).map { numbers.columns[$0] } ?? 0
    return "In \(numbers.period.title), \(sum(requested).of("sign-up")), "
      + "\(sum(confirmed).of("confirmation")), and \(sum(left).grouped) left; most sign-ups, "
      + "\(most.grouped), \(numbers.period == .hours ? "in the hour from" : "on") \(label(peak))."
  }

  private func label(_ start: Int64) -> String {
    let time = Timestamp(hour: start)
    return numbers.period == .hours ? "\(time.day), \(time.clock)" : time.day
  }

  /// The outcomes of the requests of the period.
  var funnel: HTMLText {
    var steps: [(String, Tally.Series)] = [("Requested", .requested)]
    if numbers.relay != nil { steps.append(("Mail accepted", .mailAccepted)) }
    steps += [("Confirmed", .confirmed), ("Left", .left)]
    let counts = steps.map { ($0.0, numbers.sum($0.1)) }
    let top = max(1, counts.map(\.1).max() ?? 1)
    let bars = counts.enumerated().map { index, step in
      "M0 \(index * 10 + 3)h\(step.1 * 100 / top)v4H0z"
    }
    let labels = counts.map { name, count -> HTMLText in
      "<li>\(name) <b>\(count.grouped)</b></li>"
    }
    let rows = counts.map { name, count -> HTMLText in
      "<tr><th scope=\"row\">\(name)</th><td>\(count.grouped)</td></tr>\n"
    }
    let finding = counts.map { "\($0.1.grouped) \($0.0.lowercased())" }.joined(separator: ", ")
    return """
      <div class="funnel"><ul>\(HTMLText(labels))</ul>\
      <svg role="img" aria-labelledby="funnel" viewBox="0 0 100 \(String(counts.count * 10))" \
      preserveAspectRatio="none"><title id="funnel">In \(numbers.period.title): \(finding).</title>\
      <path d="\(bars.joined())"/></svg></div>
      \(Self.table(["Step", "People or mails"], rows))
      """
  }

  private static func table(_ heads: [String], _ rows: [HTMLText]) -> HTMLText {
    let heads = heads.map { head -> HTMLText in "<th scope=\"col\">\(head)</th>" }
    return """
      <details><summary>The numbers</summary><table><thead><tr>\(HTMLText(heads))</tr></thead>
      <tbody>\(HTMLText(rows))</tbody></table></details>
      """
  }
}
