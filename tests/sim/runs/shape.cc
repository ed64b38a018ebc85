// SPDX-License-Identifier: Apache-2.0
// Each of the numbers is drawn from what breaks things: few and many, small and large.
#include "sim/runs/shape.h"

namespace milena::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double kCalmChance = 0.15;
constexpr double kCoarseChance = 0.7;
constexpr double kConsumersChance = 0.6;
constexpr double kMixedChance = 0.5;

std::int32_t small_number(SeededRandom& random, std::uint64_t high) {
    return static_cast<std::int32_t>(random.between(1, high));
}

std::vector<const Fault*> draw_faults(SeededRandom& random, const Shape& shape) {
    std::vector<const Fault*> drawn;
    if (random.chance(kCalmChance)) return drawn;
    const double chance = random.chance(0.5) ? 0.3 : 0.8;
    for (const Fault& fault : faults()) {
        const bool is_drawn = random.chance(chance);
        if (fault.loses_unsynced && !shape.settings.syncs_each_record) continue;
        if (fault.needs_peers && shape.layout.roles().size() == 1) continue;
        if (is_drawn) drawn.push_back(&fault);
    }
    return drawn;
}

void draw_consumers(SeededRandom random, Shape& shape) {
    if (!random.chance(kConsumersChance)) return;
    shape.consumers = small_number(random, 4);
    shape.static_consumers =
        static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(shape.consumers) + 1));
    shape.is_mixed = random.chance(kMixedChance) && shape.members > 0;
}

}  // namespace

Shape Shape::draw(SeededRandom random, const Wanted& wanted) {
    const Layout drawn = Layout::draw(random.fork("layout"));
    Shape shape{.layout = Layout::find(wanted.layout).value_or(drawn)};
    shape.takes_coarse_steps = random.chance(kCoarseChance);
    shape.duration = random.between(env::Duration(seconds(20)), env::Duration(seconds(90)));
    shape.partitions = small_number(random, 3);
    shape.writers = small_number(random, 5);
    shape.readers = small_number(random, 3);
    shape.write_pause_max =
        random.between(env::Duration(milliseconds(5)), env::Duration(milliseconds(300)));
    shape.settings.syncs_each_record = random.chance(0.6);
    shape.settings.segment_bytes = static_cast<std::int32_t>(1 << random.between(13, 20));
    shape.settings.bytes_between_snapshots = static_cast<std::int32_t>(1 << random.between(11, 18));
    shape.segment_bytes = static_cast<std::int32_t>(1 << random.between(14, 20));
    shape.faults = draw_faults(random, shape);
    SeededRandom groups = random.fork("groups");
    shape.members = static_cast<std::int32_t>(groups.below(5));
    shape.static_members =
        static_cast<std::int32_t>(groups.below(static_cast<std::uint64_t>(shape.members) + 1));
    draw_consumers(random.fork("consumers"), shape);
    if (const Fault* const fault = find_fault(wanted.fault); fault != nullptr) {
        shape.faults = {fault};
        shape.settings.syncs_each_record |= fault->loses_unsynced;
    }
    return shape;
}

std::string Shape::text() const {
    std::string names;
    for (const Fault* const fault : faults)
        names += (names.empty() ? "" : ",") + std::string(fault->name);
    return fmt::format(
        "{}, {} steps, {} s, {} partitions, {} writers, {} readers, {} members ({} static), "
        "{} consumers ({} static{}), a round each {} ms at most, {}, segments of {} bytes, faults "
        "{}",
        layout.name(), takes_coarse_steps ? "coarse" : "fine", duration / seconds(1), partitions,
        writers, readers, members, static_members, consumers, static_consumers,
        is_mixed ? ", in one group" : "", write_pause_max / milliseconds(1),
        settings.syncs_each_record ? "synced" : "page cache", segment_bytes,
        names.empty() ? "none" : names);
}

}  // namespace milena::sim
