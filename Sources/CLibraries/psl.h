// libpsl: the list of public suffixes, under which anyone can register a domain.
#include <libpsl.h>
