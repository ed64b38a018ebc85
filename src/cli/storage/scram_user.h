// SPDX-License-Identifier: Apache-2.0
// --add-scram of kafka-storage: SCRAM-SHA-256=[name=alice,password=secret,iterations=8192], with
// salt="BASE64", and saltedpassword="BASE64" in the place of a password.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "milena/base/result.h"
#include "milena/env/env.h"
#include "milena/security/scram.h"

namespace milena::cli {

/// What a server keeps of a user.
struct ScramUser {
    std::string name;
    security::ScramMechanism mechanism = security::ScramMechanism::sha_256;
    std::vector<std::byte> salt;
    std::int32_t iterations = security::kScramIterationsMin;
    security::ScramKeys keys;
};

/// A salt that is not given is drawn. Errors in Kafka's words.
Result<ScramUser> parse_scram_user(std::string_view text, env::Random& random);

}  // namespace milena::cli
