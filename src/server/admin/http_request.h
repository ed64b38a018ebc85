// SPDX-License-Identifier: Apache-2.0
// The head of an HTTP request from bytes as they come (RFC 9112), and the bytes of an answer. No
// I/O.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "milena/base/bytes.h"
#include "milena/server/admin.h"

namespace milena::server {

/// Longest head, request line and fields together.
inline constexpr std::size_t kHttpHeadBytesMax = 8 * 1024;

struct HttpRequest {
    bool is_get = false;   ///< GET or HEAD
    bool is_head = false;  ///< wants no body
    std::string path;      ///< without the query
};

class HttpRequestParser {
public:
    HttpRequestParser();
    ~HttpRequestParser();

    /// Takes bytes that follow those of the call before: the request once its head is whole,
    /// nothing while more is to come. INVALID_REQUEST, with the status to answer as `status()`, if
    /// it is none or too long.
    Result<std::optional<HttpRequest>> take(BytesView bytes);
    /// What to answer after an error: 400, or 431 for a head that is too long.
    int status() const { return status_; }

private:
    struct Parser;
    std::unique_ptr<Parser> parser_;
    std::string at_hand_;
    std::size_t taken_ = 0;
    int status_ = 400;
};

/// Status line, fields and, unless `is_head`, the body.
std::string http_answer(const AdminAnswer& answer, bool is_head);

}  // namespace milena::server
