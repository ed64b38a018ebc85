// SPDX-License-Identifier: Apache-2.0
// A disk that stalls when a test says so, for a process that is started with this in LD_PRELOAD:
// writes and syncs of files below the folder STALLING_FOLDER do not come back while the file
// STALLING_WHILE exists. What a write does to a page cache that is full of dirty pages, or while a
// journal commits, looks like this from outside.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kStepMicroseconds = 1000, kPathBytes = 4096 };

static int lies_below(int descriptor, const char* folder) {
    char link[64];
    char path[kPathBytes];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = '\0';
    return strncmp(path, folder, strlen(folder)) == 0;
}

static void stall(int descriptor) {
    const char* const signal = getenv("STALLING_WHILE");
    const char* const folder = getenv("STALLING_FOLDER");
    if (signal == NULL || folder == NULL || access(signal, F_OK) != 0) return;
    if (!lies_below(descriptor, folder)) return;
    while (access(signal, F_OK) == 0) usleep(kStepMicroseconds);
}

ssize_t pwritev(int descriptor, const struct iovec* pieces, int count, off_t position) {
    static ssize_t (*real)(int, const struct iovec*, int, off_t);
    if (real == NULL) real = dlsym(RTLD_NEXT, "pwritev");
    stall(descriptor);
    return real(descriptor, pieces, count, position);
}

int fdatasync(int descriptor) {
    static int (*real)(int);
    if (real == NULL) real = dlsym(RTLD_NEXT, "fdatasync");
    stall(descriptor);
    return real(descriptor);
}
