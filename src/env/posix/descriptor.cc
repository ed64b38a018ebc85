// SPDX-License-Identifier: Apache-2.0
// Closing can't be repeated: whatever close() says, the number is free afterwards.
#include "posix/descriptor.h"

#include <unistd.h>
#include <utility>

namespace milena::env {

Descriptor::~Descriptor() {
    if (number_ >= 0) ::close(number_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    if (this != &other) {
        if (number_ >= 0) ::close(number_);
        number_ = other.release();
    }
    return *this;
}

int Descriptor::release() {
    return std::exchange(number_, -1);
}

}  // namespace milena::env
