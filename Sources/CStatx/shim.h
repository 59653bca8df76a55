/* The system call `statx`, which Swift's Glibc does not declare. */

#ifndef CSTATX_SHIM_H
#define CSTATX_SHIM_H

#include <fcntl.h>
#include <linux/stat.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Reads which file a path names, and no times; 0, or -1 with `errno`. */
static inline int cstatx_identify (const char *_Nonnull path, uint64_t *_Nonnull device,
                                   uint64_t *_Nonnull inode)
{
  struct statx status;
  if (syscall (SYS_statx, AT_FDCWD, path, 0, STATX_INO, &status) != 0) return -1;
  *device = makedev (status.stx_dev_major, status.stx_dev_minor);
  *inode = status.stx_ino;
  return 0;
}

#endif
