// SPDX-License-Identifier: Apache-2.0
// PBKDF2, HMAC and the hash itself are OpenSSL's.
#include "milena/security/scram.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "milena/base/invariant.h"

namespace milena::security {
namespace {

const EVP_MD* digest_of(ScramMechanism mechanism) {
    return mechanism == ScramMechanism::sha_256 ? EVP_sha256() : EVP_sha512();
}

std::vector<std::byte> empty_digest(ScramMechanism mechanism) {
    return std::vector<std::byte>(static_cast<std::size_t>(EVP_MD_get_size(digest_of(mechanism))));
}

unsigned char* bytes_of(std::vector<std::byte>& bytes) {
    return reinterpret_cast<unsigned char*>(bytes.data());
}
const unsigned char* bytes_of(BytesView bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

std::vector<std::byte> keyed_hash(ScramMechanism mechanism, BytesView key, std::string_view text) {
    auto out = empty_digest(mechanism);
    const auto* const done = HMAC(digest_of(mechanism), key.data(), static_cast<int>(key.size()),
                                  reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                                  bytes_of(out), nullptr);
    INVARIANT(done != nullptr, "OpenSSL has no HMAC");
    return out;
}

}  // namespace

std::optional<ScramMechanism> find_scram_mechanism(std::string_view name) {
    if (name == "SCRAM-SHA-256") return ScramMechanism::sha_256;
    if (name == "SCRAM-SHA-512") return ScramMechanism::sha_512;
    return std::nullopt;
}

std::vector<std::byte> salted_password(ScramMechanism mechanism, std::string_view password,
                                       BytesView salt, std::int32_t iterations) {
    auto out = empty_digest(mechanism);
    const int done =
        PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), bytes_of(salt),
                          static_cast<int>(salt.size()), iterations, digest_of(mechanism),
                          static_cast<int>(out.size()), bytes_of(out));
    INVARIANT(done == 1, "OpenSSL has no PBKDF2");
    return out;
}

ScramKeys scram_keys(ScramMechanism mechanism, BytesView salted) {
    ScramKeys keys;
    const auto client_key = keyed_hash(mechanism, salted, "Client Key");
    keys.stored_key = empty_digest(mechanism);
    const int done = EVP_Digest(client_key.data(), client_key.size(), bytes_of(keys.stored_key),
                                nullptr, digest_of(mechanism), nullptr);
    INVARIANT(done == 1, "OpenSSL has no such hash");
    keys.server_key = keyed_hash(mechanism, salted, "Server Key");
    return keys;
}

}  // namespace milena::security
