// SPDX-License-Identifier: Apache-2.0
// Frames cut from arbitrary pieces of a byte stream, and what memory that takes.
#include "receive_buffer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace milena::wire {
namespace {

constexpr std::uint32_t kFrameMax = 8U << 20;

std::vector<std::byte> frame_of(std::size_t size, std::uint8_t fill) {
    std::vector<std::byte> bytes(4 + size, std::byte{fill});
    store(bytes.data(), static_cast<std::uint32_t>(size));
    return bytes;
}

/// Hands `bytes` over in reads of what the buffer asks for, at most `step` each; collects the
/// frames.
std::vector<std::vector<std::byte>> feed(ReceiveBuffer& buffer, BytesView bytes, std::size_t step) {
    std::vector<std::vector<std::byte>> frames;
    while (!bytes.empty()) {
        const auto room = buffer.writable();
        if (!room) ADD_FAILURE() << "the budget ran out";
        const std::size_t count = std::min({room->size(), bytes.size(), step});
        std::ranges::copy(bytes.first(count), room->begin());
        buffer.received(count);
        bytes = bytes.subspan(count);
        for (;;) {
            const auto frame = buffer.next_frame();
            EXPECT_TRUE(frame.has_value());
            if (!frame || !*frame) break;
            frames.emplace_back((*frame)->begin(), (*frame)->end());
        }
    }
    return frames;
}

TEST(ReceiveBuffer, AQuietConnectionHoldsNothingOfTheBudget) {
    // After a frame of 17 KiB each of them waits for the next, with room for some together.
    env::ByteBudget budget(1U << 20);
    std::vector<std::unique_ptr<ReceiveBuffer>> buffers;
    for (int i = 0; i < 100; ++i) {
        buffers.push_back(std::make_unique<ReceiveBuffer>(kFrameMax, budget));
        EXPECT_EQ(feed(*buffers.back(), frame_of(17'000, 1), 1 << 20).size(), 1U);
        EXPECT_TRUE(buffers.back()->writable());
    }
    EXPECT_EQ(budget.used(), 0U);
}

TEST(ReceiveBuffer, ChargesWhatHasComeAndOffersNoMoreThanIsLeft) {
    env::ByteBudget budget(200'000);
    ReceiveBuffer buffer(kFrameMax, budget);
    feed(buffer, frame_of(100'000, 1), 1 << 20);
    budget.charge(150'000);
    const auto room = buffer.writable();
    ASSERT_TRUE(room);
    EXPECT_LE(room->size(), 16U * 1024 + 50'000);
    std::ranges::copy(BytesView(frame_of(100'000, 2)).first(room->size()), room->begin());
    buffer.received(room->size());
    EXPECT_EQ(budget.used(), 150'000 + room->size() - 16 * 1024);
    budget.release(150'000);
}

RC_GTEST_PROP(ReceiveBuffer, CutsTheFramesWhateverPiecesTheyComeIn, ()) {
    // Sizes around the points where the buffer changes its ways: small frames, exact reads, more
    // than one read.
    const auto size = rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(1, 200),
                                     rc::gen::inRange<std::uint32_t>(16000, 17000),
                                     rc::gen::inRange<std::uint32_t>(1, 1 << 18));
    const auto count = *rc::gen::inRange<std::size_t>(1, 12);
    const auto sizes = *rc::gen::container<std::vector<std::uint32_t>>(count, size);
    const auto step = *rc::gen::inRange<std::size_t>(1, 1 << 20);
    std::vector<std::byte> stream;
    std::uint8_t fill = 0;
    for (const auto one : sizes) {
        const auto frame = frame_of(one, ++fill);
        stream.insert(stream.end(), frame.begin(), frame.end());
    }
    env::ByteBudget budget(1U << 30);
    {
        ReceiveBuffer buffer(kFrameMax, budget);
        const auto frames = feed(buffer, stream, std::max<std::size_t>(step, stream.size() / 2000));
        RC_ASSERT(frames.size() == sizes.size());
        fill = 0;
        for (std::size_t i = 0; i < frames.size(); ++i) {
            RC_ASSERT(frames[i] == std::vector<std::byte>(sizes[i], std::byte{++fill}));
        }
    }
    RC_ASSERT(budget.used() == 0U);
}

TEST(ReceiveBuffer, AnnouncedBytesCostNothingBeforeTheyArrive) {
    // A peer announces 8 MiB and sends 5 bytes of it: what is charged is the room of one read at
    // most.
    env::ByteBudget budget(1U << 30);
    ReceiveBuffer buffer(kFrameMax, budget);
    const auto frame = frame_of(kFrameMax, 1);
    EXPECT_TRUE(feed(buffer, BytesView(frame).first(9), 9).empty());
    EXPECT_EQ(budget.used(), 0U);
    ASSERT_TRUE(buffer.writable().has_value());
    EXPECT_LE(budget.used(), 1U << 20);
}

TEST(ReceiveBuffer, StopsAskingForBytesWhenTheBudgetIsUsedUp) {
    env::ByteBudget budget(100'000);
    ASSERT_TRUE(budget.try_charge(99'000));
    ReceiveBuffer buffer(kFrameMax, budget);
    const auto frame = frame_of(1 << 20, 1);
    EXPECT_TRUE(feed(buffer, BytesView(frame).first(1000), 1000).empty());
    EXPECT_FALSE(buffer.writable().has_value());
    budget.release(99'000);
    EXPECT_TRUE(buffer.writable().has_value());
}

TEST(ReceiveBuffer, FramesOfOneLargeSizeBeginWhereTheLastOneDid) {
    // Nothing is moved if every frame begins at the front: its address stays the same.
    env::ByteBudget budget(1U << 30);
    ReceiveBuffer buffer(kFrameMax, budget);
    const auto frame = frame_of(130'000, 7);
    const std::byte* first = nullptr;
    for (int round = 0; round < 5; ++round) {
        BytesView rest(frame);
        while (!rest.empty()) {
            const auto room = buffer.writable();
            ASSERT_TRUE(room.has_value());
            const std::size_t count = std::min(room->size(), rest.size());
            std::ranges::copy(rest.first(count), room->begin());
            buffer.received(count);
            rest = rest.subspan(count);
            const auto cut = buffer.next_frame();
            ASSERT_TRUE(cut.has_value());
            if (!*cut) continue;
            if (round >= 1 && first == nullptr) first = (*cut)->data();
            if (round >= 1) EXPECT_EQ((*cut)->data(), first);
        }
    }
    ASSERT_NE(first, nullptr);
}

TEST(ReceiveBuffer, RefusesLengthsThatNoFrameHas) {
    struct Case {
        std::uint32_t length;
        std::string_view says;
    };
    const Case cases[] = {{0, "frame length 0"},
                          {0xFFFFFFFF, "frame length -1"},
                          {kFrameMax + 1, "socket.request.max.bytes"},
                          {0x47455420, "HTTP"},
                          {0x16030100, "TLS"}};
    for (const auto& [length, says] : cases) {
        env::ByteBudget budget(1U << 30);
        ReceiveBuffer buffer(kFrameMax, budget);
        const auto room = buffer.writable();
        store(room->data(), length);
        buffer.received(4);
        const auto frame = buffer.next_frame();
        ASSERT_FALSE(frame.has_value()) << length;
        EXPECT_EQ(frame.error().code, ErrorCode::invalid_request);
        EXPECT_NE(frame.error().why.find(says), std::string::npos) << frame.error().why;
    }
}

}  // namespace
}  // namespace milena::wire
