// SPDX-License-Identifier: Apache-2.0
// The first error of a file is the one that is told.
#include "posix/lost_files.h"

namespace milena::env {

void LostFiles::add(const FileIdentity& identity, int error_number) {
    lost_.with([&](Lost& lost) {
        if (lost.files.size() < kFilesMax || lost.files.contains(identity)) {
            lost.files.emplace(identity, error_number);
        } else {
            lost.devices.emplace(identity.device, error_number);
        }
    });
    has_some_.store(true, std::memory_order_release);
}

int LostFiles::look_up(const FileIdentity& identity) const {
    return lost_.with([&](const Lost& lost) {
        if (const auto file = lost.files.find(identity); file != lost.files.end())
            return file->second;
        const auto device = lost.devices.find(identity.device);
        return device == lost.devices.end() ? 0 : device->second;
    });
}

}  // namespace milena::env
