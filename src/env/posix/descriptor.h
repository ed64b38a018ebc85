// SPDX-License-Identifier: Apache-2.0
// The number by which the system knows something open, closed when its owner dies.
#pragma once

namespace milena::env {

/// Owns one descriptor.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;

    int number() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }
    /// Gives the descriptor up to the caller.
    int release();

private:
    int number_ = -1;
};

}  // namespace milena::env
