/* Preloaded into a host: writes below one folder fail when the driver says so, and the wall clock stands where it says.
 *
 * The driver and every process that is started with this share one small file (TORTURE_CONTROL), mapped into memory. A call
 * counts as a write where it changes a file below TORTURE_FOLDER. The monotonic clock is left alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* As control.py packs it. */
struct control {
    int64_t writes;        /* how many there were */
    int64_t fail_at;       /* the number of the first that fails; 0: none */
    int64_t fail_count;    /* how many fail from there on */
    int64_t error;         /* the errno they fail with */
    int64_t failed;        /* how many have failed */
    int64_t clock_offset_s;
};

static struct control none;
static struct control *control = &none;
static char folder[4096];

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("TORTURE_CONTROL"), *below = getenv("TORTURE_FOLDER");
    int (*real_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    int fd = path ? real_open(path, O_RDWR) : -1;
    if (fd < 0) return;
    void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (below) snprintf(folder, sizeof folder, "%s/", below);
    if (mapped != MAP_FAILED) control = mapped;
}

static int is_below(const char *path) { return folder[0] && path && !strncmp(path, folder, strlen(folder)); }

static int is_ours(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_below(path);
}

/* Whether this write is to fail; sets errno then. */
static int fails(void) {
    int64_t number = __atomic_add_fetch(&control->writes, 1, __ATOMIC_SEQ_CST);
    int64_t first = control->fail_at;
    if (!first || number < first || number >= first + control->fail_count) return 0;
    __atomic_add_fetch(&control->failed, 1, __ATOMIC_SEQ_CST);
    errno = (int)control->error;
    return 1;
}

#define REAL(name) static __typeof__(name) *real; if (!real) real = dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *data, size_t size) {
    REAL(write);
    return is_ours(fd) && fails() ? -1 : real(fd, data, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    REAL(pwrite);
    return is_ours(fd) && fails() ? -1 : real(fd, data, size, at);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    REAL(pwrite64);
    return is_ours(fd) && fails() ? -1 : real(fd, data, size, at);
}

int fsync(int fd) {
    REAL(fsync);
    return is_ours(fd) && fails() ? -1 : real(fd);
}

int fdatasync(int fd) {
    REAL(fdatasync);
    return is_ours(fd) && fails() ? -1 : real(fd);
}

int ftruncate(int fd, off_t size) {
    REAL(ftruncate);
    return is_ours(fd) && fails() ? -1 : real(fd, size);
}

int ftruncate64(int fd, off64_t size) {
    REAL(ftruncate64);
    return is_ours(fd) && fails() ? -1 : real(fd, size);
}

int fallocate(int fd, int mode, off_t at, off_t size) {
    REAL(fallocate);
    return is_ours(fd) && fails() ? -1 : real(fd, mode, at, size);
}

int posix_fallocate(int fd, off_t at, off_t size) {
    REAL(posix_fallocate);
    return is_ours(fd) && fails() ? errno : real(fd, at, size);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    return is_below(to) && fails() ? -1 : real(from, to);
}

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    return is_below(path) && fails() ? -1 : real(path, mode);
}

/* Making a file takes room, too. */
#define OPEN(name)                                                     \
    int name(const char *path, int flags, ...) {                       \
        static int (*real)(const char *, int, ...);                    \
        if (!real) real = dlsym(RTLD_NEXT, #name);                     \
        va_list more;                                                  \
        va_start(more, flags);                                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more);                                                  \
        if (flags & O_CREAT && is_below(path) && access(path, F_OK) && fails()) return -1; \
        return real(path, flags, mode);                                \
    }

OPEN(open)
OPEN(open64)

int clock_gettime(clockid_t clock, struct timespec *now) {
    REAL(clock_gettime);
    int result = real(clock, now);
    if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += control->clock_offset_s;
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    static int (*real)(struct timeval *restrict, void *restrict);
    if (!real) real = dlsym(RTLD_NEXT, "gettimeofday");
    int result = real(now, zone);
    if (!result) now->tv_sec += control->clock_offset_s;
    return result;
}

time_t time(time_t *into) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (into) *into = now.tv_sec;
    return now.tv_sec;
}
