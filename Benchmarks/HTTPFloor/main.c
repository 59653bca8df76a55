#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "floors.h"

static int usage(void) {
  fputs("usage: HTTPFloor direct PORT\n"
        "       HTTPFloor sign-up PORT DATABASE\n"
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
  if (count == 4 && !strcmp(floor, "sign-up")) return sign_up_floor((uint16_t)port, arguments[3]);
  if (count == 3 && !strcmp(floor, "streams")) return streams_floor((uint16_t)port);
  return usage();
}
