// SPDX-License-Identifier: Apache-2.0
// A disk that fails when a test says so, for a process that is started with this in LD_PRELOAD:
// while the file FAILING_WHILE exists, nothing below the folder FAILING_FOLDER can be opened,
// written or synced; every attempt ends with EIO.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kPathBytes = 4096 };

static int fails(const char* path) {
    const char* const signal = getenv("FAILING_WHILE");
    const char* const folder = getenv("FAILING_FOLDER");
    if (signal == NULL || folder == NULL) return 0;
    return strncmp(path, folder, strlen(folder)) == 0 && access(signal, F_OK) == 0;
}

static int fails_at(int descriptor) {
    char link[64];
    char path[kPathBytes];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = '\0';
    return fails(path);
}

static int failed(void) {
    errno = EIO;
    return -1;
}

int open(const char* path, int flags, ...) {
    static int (*real)(const char*, int, ...);
    if (real == NULL) real = dlsym(RTLD_NEXT, "open");
    va_list rest;
    va_start(rest, flags);
    const int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;
    va_end(rest);
    return fails(path) ? failed() : real(path, flags, mode);
}

ssize_t pwritev(int descriptor, const struct iovec* pieces, int count, off_t position) {
    static ssize_t (*real)(int, const struct iovec*, int, off_t);
    if (real == NULL) real = dlsym(RTLD_NEXT, "pwritev");
    return fails_at(descriptor) ? failed() : real(descriptor, pieces, count, position);
}

int fdatasync(int descriptor) {
    static int (*real)(int);
    if (real == NULL) real = dlsym(RTLD_NEXT, "fdatasync");
    return fails_at(descriptor) ? failed() : real(descriptor);
}

int fsync(int descriptor) {
    static int (*real)(int);
    if (real == NULL) real = dlsym(RTLD_NEXT, "fsync");
    return fails_at(descriptor) ? failed() : real(descriptor);
}
