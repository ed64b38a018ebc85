// SPDX-License-Identifier: Apache-2.0
// What the parts of a delta have in common: the image they start from, and its copy once something
// changes.
#pragma once

#include <memory>
#include <string>

#include <fmt/format.h>

#include "milena/metadata/delta.h"

namespace milena::metadata {

/// A part whose image is small enough to be copied as a whole at the first change.
template <class ImagePart>
class CopiedPart {
public:
    explicit CopiedPart(std::shared_ptr<const ImagePart> base) : base_(std::move(base)) {}

    const ImagePart& now() const { return copy_ ? *copy_ : *base_; }
    ImagePart& edit() {
        if (!copy_) copy_ = std::make_unique<ImagePart>(*base_);
        return *copy_;
    }
    std::shared_ptr<const ImagePart> finish() && {
        if (copy_) return std::move(copy_);
        return std::move(base_);
    }

private:
    std::shared_ptr<const ImagePart> base_;
    std::unique_ptr<ImagePart> copy_;
};

/// INVALID_RECORD: a record that does not fit what came before it.
template <class... Args>
std::unexpected<Error> contradiction(fmt::format_string<Args...> format, Args&&... args) {
    return fail(ErrorCode::invalid_record, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace milena::metadata
