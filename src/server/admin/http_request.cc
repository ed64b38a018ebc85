// SPDX-License-Identifier: Apache-2.0
// Parsing is Beast's; here are its limits and what is taken out of it.
#include "http_request.h"

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <fmt/format.h>

namespace milena::server {

namespace http = boost::beast::http;

struct HttpRequestParser::Parser {
    http::request_parser<http::empty_body> request;
};

HttpRequestParser::HttpRequestParser() : parser_(std::make_unique<Parser>()) {
    parser_->request.header_limit(kHttpHeadBytesMax);
}

HttpRequestParser::~HttpRequestParser() = default;

Result<std::optional<HttpRequest>> HttpRequestParser::take(BytesView bytes) {
    at_hand_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    auto& request = parser_->request;
    boost::beast::error_code error;
    while (!request.is_header_done() && !error && taken_ < at_hand_.size()) {
        taken_ += request.put(
            boost::beast::net::const_buffer(at_hand_.data() + taken_, at_hand_.size() - taken_),
            error);
    }
    if (request.is_header_done()) {
        const auto& head = request.get();
        const auto target = head.target();
        HttpRequest found;
        found.is_head = head.method() == http::verb::head;
        found.is_get = found.is_head || head.method() == http::verb::get;
        found.path = std::string(target.substr(0, target.find('?')));
        return found;
    }
    if (at_hand_.size() > kHttpHeadBytesMax || error == http::error::header_limit) {
        status_ = 431;
        return fail(ErrorCode::invalid_request, "the request's head is too long");
    }
    if (error && error != http::error::need_more)
        return fail(ErrorCode::invalid_request, fmt::format("not HTTP: {}", error.message()));
    return std::nullopt;
}

std::string http_answer(const AdminAnswer& answer, bool is_head) {
    const auto reason = http::obsolete_reason(static_cast<http::status>(answer.status));
    std::string out = fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
        "Connection: close\r\n\r\n",
        answer.status, std::string_view(reason.data(), reason.size()), answer.content_type,
        answer.body.size());
    if (!is_head) out += answer.body;
    return out;
}

}  // namespace milena::server
