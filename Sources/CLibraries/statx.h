/* The system calls `statx` and `fstatfs`, which Swift's Glibc does not declare. */

#ifndef CSTATX_SHIM_H
#define CSTATX_SHIM_H

#include <fcntl.h>
#include <linux/stat.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The identity and the size of the file that a path names. */
struct cstatx_file
{
  uint64_t device;
  uint64_t inode;
  uint64_t byte_count;
  /* In nanoseconds since 1970; 0 if it was not read. */
  int64_t modified;
};

/* Reads the status of the file that a path names, and the time of its last change only if
   `reads_time` is not 0; returns 0, or -1 with `errno`. */
static inline int cstatx_read (const char *_Nonnull path, int reads_time,
                               struct cstatx_file *_Nonnull file)
{
  struct statx status;
  unsigned int mask = STATX_INO | STATX_SIZE | (reads_time ? STATX_MTIME : 0);
  if (syscall (SYS_statx, AT_FDCWD, path, 0, mask, &status) != 0) return -1;
  file->device = makedev (status.stx_dev_major, status.stx_dev_minor);
  file->inode = status.stx_ino;
  file->byte_count = status.stx_size;
  file->modified = reads_time
    ? status.stx_mtime.tv_sec * (int64_t) 1000000000 + status.stx_mtime.tv_nsec : 0;
  return 0;
}

#endif
