/*
 * Faults for the crash tests, preloaded into workerd: a wrong wall clock, and a disk that rejects writes.
 *
 * Both come from a control file that is mapped into memory, so that the test sets them at any moment while
 * workerd runs. Its path is in EDGEFLAKE_FAULTS; in other programs than workerd, and without it, nothing changes.
 *
 *   bytes 0 to 7    added to the wall clock, in microseconds
 *   bytes 8 to 15   errno of every write below the folder EDGEFLAKE_FAULTS_FOLDER; 0: writes work
 *   bytes 16 to 23  how many writes have failed so
 *
 * All three are signed and in the machine's byte order. The monotonic clock, and so every timer, is unchanged.
 * Calls go to the kernel directly: finding the next definition of a symbol takes locks that workerd may hold.
 * 64-bit Linux only: cc -shared -fPIC -O2 -o faults.so faults.c
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct control {
  volatile int64_t clock_offset_us;
  volatile int64_t write_errno;
  int64_t failed_writes;
};

static struct control *control;
static char folder[4096];
static size_t folder_length;

__attribute__((constructor)) static void load(void) {
  const char *path = getenv("EDGEFLAKE_FAULTS");
  const char *below = getenv("EDGEFLAKE_FAULTS_FOLDER");
  /* The wrapper that starts workerd, and whatever starts that, inherit the preload too. */
  if (!path || strcmp(program_invocation_short_name, "workerd") != 0) return;
  int fd = open(path, O_RDWR | O_CLOEXEC);
  void *mapped = fd < 0 ? MAP_FAILED
                        : mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) {
    /* A test without its faults would prove nothing. */
    perror(path);
    _exit(1);
  }
  close(fd);
  folder_length = below ? (size_t)snprintf(folder, sizeof folder, "%s/", below) : 0;
  control = mapped;
}

/* The clock */

static int is_wall_clock(clockid_t id) { return id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE; }

static int read_clock(clockid_t id, struct timespec *now) {
  int failed = (int)syscall(SYS_clock_gettime, id, now);
  if (failed || !control || !is_wall_clock(id)) return failed;
  int64_t us = now->tv_sec * 1000000LL + now->tv_nsec / 1000 + control->clock_offset_us;
  now->tv_sec = us / 1000000;
  now->tv_nsec = us % 1000000 * 1000 + now->tv_nsec % 1000;
  return 0;
}

int clock_gettime(clockid_t id, struct timespec *now) { return read_clock(id, now); }

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec read;
  if (read_clock(CLOCK_REALTIME, &read)) return -1;
  now->tv_sec = read.tv_sec;
  now->tv_usec = read.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *now) {
  struct timespec read;
  if (read_clock(CLOCK_REALTIME, &read)) return -1;
  if (now) *now = read.tv_sec;
  return read.tv_sec;
}

/* The disk */

static int is_below_folder(int fd) {
  char link[32];
  char path[sizeof folder];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  return folder_length > 0 && readlink(link, path, sizeof path) > (ssize_t)folder_length &&
         strncmp(path, folder, folder_length) == 0;
}

/* Whether a write to that file is to fail; errno is set then. */
static int fails(int fd) {
  if (!control || control->write_errno == 0 || !is_below_folder(fd)) return 0;
  __atomic_add_fetch(&control->failed_writes, 1, __ATOMIC_RELAXED);
  errno = (int)control->write_errno;
  return 1;
}

ssize_t write(int fd, const void *data, size_t length) {
  return fails(fd) ? -1 : syscall(SYS_write, fd, data, length);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t at) {
  return fails(fd) ? -1 : syscall(SYS_pwrite64, fd, data, length, at);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  return fails(fd) ? -1 : syscall(SYS_writev, fd, parts, count);
}

/* The kernel takes the position in two halves; on 64 bits the lower one holds all of it. */
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  return fails(fd) ? -1 : syscall(SYS_pwritev, fd, parts, count, at, 0);
}

int ftruncate64(int fd, off64_t length) {
  return fails(fd) ? -1 : (int)syscall(SYS_ftruncate, fd, length);
}

int fallocate64(int fd, int mode, off64_t at, off64_t length) {
  return fails(fd) ? -1 : (int)syscall(SYS_fallocate, fd, mode, at, length);
}

int fsync(int fd) { return fails(fd) ? -1 : (int)syscall(SYS_fsync, fd); }

int fdatasync(int fd) { return fails(fd) ? -1 : (int)syscall(SYS_fdatasync, fd); }

/* On 64 bits these are the same calls by their other names. */
ssize_t pwrite(int fd, const void *data, size_t length, off_t at) __attribute__((alias("pwrite64")));
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) __attribute__((alias("pwritev64")));
int ftruncate(int fd, off_t length) __attribute__((alias("ftruncate64")));
int fallocate(int fd, int mode, off_t at, off_t length) __attribute__((alias("fallocate64")));
