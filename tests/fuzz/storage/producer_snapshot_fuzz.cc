// SPDX-License-Identifier: Apache-2.0
// Any bytes as a producer snapshot, their checksum made right where there is room for one: an
// error, or producers that can be asked and written again.
#include "producers/producer_snapshot.h"

#include "milena/base/crc32c.h"
#include "milena/base/invariant.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace milena;
    const auto* const begin = reinterpret_cast<const std::byte*>(data);
    std::vector<std::byte> bytes(begin, begin + size);
    constexpr std::size_t kChecksummedAt = 6;
    if (size > kChecksummedAt)
        store(bytes.data() + 2, crc32c(BytesView(bytes).subspan(kChecksummedAt)));
    const auto entries = storage::decode_snapshot(bytes);
    if (!entries) return 0;
    storage::ProducerStates states;
    for (const storage::ProducerEntry& entry : *entries) states.restore(entry);
    for (const storage::ProducerEntry& entry : *entries) {
        INVARIANT(states.find(entry.id) != nullptr, "a producer of the snapshot is not known");
    }
    states.first_unstable(Offset(0));
    INVARIANT(states.size() <= entries->size(), "more producers than the snapshot has");
    INVARIANT(storage::encode_snapshot(states).size() <= size, "written longer than it was");
    return 0;
}
