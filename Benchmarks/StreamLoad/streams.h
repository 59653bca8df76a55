/// The streams that are held open, and what came in on them.
#ifndef STREAMLOAD_STREAMS_H
#define STREAMLOAD_STREAMS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What happened on all streams together.
struct stream_totals {
  /// Streams whose response was 200, less those that ended since.
  size_t open;
  /// Streams that could not be opened, or ended.
  size_t closed;
  /// Events with the number that was due on their stream.
  uint64_t in_order;
  /// Events with any other number.
  uint64_t out_of_order;
};

extern struct stream_totals totals;

/// Opens `count` streams of `GET /status`, and waits until each is open or has failed.
///
/// - Parameter epoll: Where the streams' sockets are registered, with their index as data.
/// - Returns: Whether there was memory and descriptors for all.
bool streams_open(int epoll, const struct sockaddr_in *address, size_t count);

/// Reads what is there, after epoll told of the stream with this index.
void streams_read(size_t index);

#endif
