// SPDX-License-Identifier: Apache-2.0
// One file or directory of a simulated disk, twice: as the process sees it, and as it would be
// found after a power cut. What was written since the last sync is kept as a list of changes, and
// the power cut decides each of them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "milena/base/bytes.h"
#include "sim/random.h"

namespace milena::sim {

using FileBytes = std::vector<std::byte>;

/// The bytes of one file.
class FileContent {
public:
    const FileBytes& visible() const { return visible_; }
    const FileBytes& durable() const { return durable_; }
    bool is_dirty() const { return !dirty_.empty(); }
    /// How many first bytes of visible() a loss of power would leave for certain.
    std::uint64_t durable_prefix() const;
    /// Grows with every change, and with every sync.
    std::uint64_t version() const { return version_; }
    /// Grows with every change that is no append.
    std::uint64_t rewrites() const { return rewrites_; }

    void write(std::uint64_t position, BytesView bytes);
    void truncate(std::uint64_t size);
    /// All changes are on disk now.
    void sync();
    /// A sync that failed: the changes are still seen but no longer waiting to be written; each is
    /// on disk or not.
    void fail_sync(SeededRandom& random);
    /// The power goes and comes: each change is there, is not, or is torn; then nothing is dirty.
    void lose_power(SeededRandom& random);
    /// Bit rot, on disk and in the page cache.
    void flip_bit(std::uint64_t bit);

private:
    /// `bytes` at `position`, or the size becomes `position`.
    struct Change {
        std::uint64_t position;
        FileBytes bytes;
        bool is_truncate;
    };

    static void apply(const Change& change, FileBytes& to);
    void write_back(SeededRandom& random);
    void add(Change change);

    FileBytes visible_;
    FileBytes durable_;
    std::deque<Change> dirty_;
    std::uint64_t version_ = 0;
    std::uint64_t rewrites_ = 0;
    /// From here on a sync that failed has left on disk what is not seen, or nothing.
    std::uint64_t unknown_from_ = UINT64_MAX;
};

struct Inode {
    using Names = std::map<std::string, std::shared_ptr<Inode>>;

    explicit Inode(bool directory) : is_directory(directory) {}

    const bool is_directory;
    FileContent content;  ///< of a file
    Names names;          ///< of a directory, as the process sees it
    Names durable_names;  ///< as a power cut would find it, but for changes that are not decided
};

}  // namespace milena::sim
