extension Exchange {
  /// Responds that a stream cannot be opened at the moment.
  ///
  /// An `EventSource` gets ``EventStream/busyResponse``, because an error status would end it
  /// forever; other clients get the problem.
  package func postponeStream(_ problem: ProblemDetails) {
    if request.fields.acceptsEvents {
      respond(EventStream.busyResponse)
    } else {
      respond(problem)
    }
  }
}
