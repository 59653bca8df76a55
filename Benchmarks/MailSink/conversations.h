/// SMTP conversations (RFC 5321) with a client that sends nothing before it has the last reply.
#ifndef MAILSINK_CONVERSATIONS_H
#define MAILSINK_CONVERSATIONS_H

#include <stdint.h>

/// Sets how long the text of a mail waits for its reply, in milliseconds; 0 at first.
void conversations_set_delay(int64_t milliseconds);

/// Accepts the connections that wait, and watches them with their index as data.
///
/// The most recent ones are closed if there are too many.
void conversations_accept(int epoll, int listener);

/// Reads what has arrived on a connection, and replies to it.
void conversations_read(uint64_t index);

/// Sends the delayed replies that are due.
///
/// - Returns: The milliseconds until the next one, or -1 if there is none.
int conversations_reply(void);

/// Returns the number of mails that were accepted.
uint64_t conversations_mails(void);

#endif
