/// The open streams, and the events that arrived on them.
#ifndef STREAMLOAD_STREAMS_H
#define STREAMLOAD_STREAMS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The totals of all streams.
struct stream_totals {
  /// Streams whose response was 200, minus those that have ended since.
  size_t open;
  /// Streams that could not be opened, or ended.
  size_t closed;
  /// Events with the number expected on their stream.
  uint64_t in_order;
  /// Events with any other number.
  uint64_t out_of_order;
};

extern struct stream_totals totals;

/// Opens `count` streams of `GET /status`, and waits until each is open or has failed.
///
/// - Parameter epoll: The epoll set for the streams' sockets, with their index as data.
/// - Returns: Whether there were enough memory and descriptors for all.
bool streams_open(int epoll, const struct sockaddr_in *address, size_t count);

/// Reads the available bytes, after epoll reported the stream with this index.
void streams_read(size_t index);

#endif
