#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "floors.h"

static int usage(void) {
  fputs("usage: HTTPFloor direct PORT\n"
        "       HTTPFloor sign-up PORT FILE [--outbox]\n"
        "       HTTPFloor sign-up PORT postgres://URL\n"
        "       HTTPFloor streams PORT\n",
        stderr);
  return 64;
}

int main(int count, char **arguments) {
  if (count < 3) return usage();
  const char *floor = arguments[1];
  char *end;
  long port = strtol(arguments[2], &end, 10);
  if (*end != '\0' || port < 1 || port > UINT16_MAX) return usage();

  if (count == 3 && !strcmp(floor, "direct")) return direct_floor((uint16_t)port);
  if (!strcmp(floor, "sign-up")) {
    bool has_outbox = count == 5 && !strcmp(arguments[4], "--outbox");
    if (count == 4 || has_outbox) return sign_up_floor((uint16_t)port, arguments[3], has_outbox);
  }
  if (count == 3 && !strcmp(floor, "streams")) return streams_floor((uint16_t)port);
  return usage();
}
