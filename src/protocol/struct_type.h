// SPDX-License-Identifier: Apache-2.0
// A struct of a message for code that does not know it: its size and what each visitor makes of its
// walk.
#pragma once

#include <cstddef>

#include "milena/protocol/inspector.h"

namespace milena::protocol {

class Decoder;
class Sizer;
class Writer;
class Show;

struct StructType {
    std::size_t size = 0;
    std::size_t wire_bytes_min = 1;  // as Walk::kWireBytesMin

    void (*make)(void* memory, std::size_t count) = nullptr;  // with defaults
    void (*read)(Decoder& decoder, void* memory) = nullptr;   // into raw memory
    void (*size_up)(Sizer& sizer, const void* value) = nullptr;
    void (*write)(Writer& writer, const void* value) = nullptr;
    void (*show)(Show& show, void* value) = nullptr;
    bool (*equal)(const void* a, const void* b) = nullptr;
};

/// Of T; defined where walks are instantiated.
template <class T>
extern const StructType kStructType;

}  // namespace milena::protocol
