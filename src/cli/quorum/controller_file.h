// SPDX-License-Identifier: Apache-2.0
// What a controller's server.properties, and the directory that it names, say of the controller as
// a voter: for the tool that adds it, which runs on its machine.
#pragma once

#include "milena/base/result.h"
#include "milena/env/files.h"
#include "milena/raft/voters.h"

namespace milena::cli {

struct ControllerFile {
    raft::Voter voter;

    /// "controller 3 with directory id … and endpoints: CONTROLLER://host:9093".
    std::string text() const;
};

/// An error in Kafka's words if the file is not a controller's, or its directory not formatted.
Result<ControllerFile> read_controller_file(env::FileSystem& files, const std::string& path);

}  // namespace milena::cli
