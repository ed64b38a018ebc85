// SPDX-License-Identifier: Apache-2.0
// What the two ways of the uniform assignor share: who is near a partition; and the way for members
// that do not all subscribe to the same.
#pragma once

#include <functional>

#include "assignor.h"

namespace milena::coordinator {

/// Members of the racks in which a partition has replicas.
class Nearness {
public:
    explicit Nearness(const AssignorInput& input);

    /// Somebody says its rack, and some partition has one.
    bool is_of_use() const { return is_of_use_; }
    bool is_near(std::size_t member, const GroupPartition& partition) const;
    /// The first member near it that `fits`.
    std::optional<std::size_t> first_near(const GroupPartition& partition,
                                          const std::function<bool(std::size_t)>& fits) const;

private:
    const std::vector<std::string>* racks(const GroupPartition& partition) const;

    const AssignorInput& input_;
    std::map<std::string, std::vector<std::size_t>, std::less<>> members_;  ///< by rack, in order
    bool is_of_use_ = false;
};

Assignment assign_mixed(const AssignorInput& input);

}  // namespace milena::coordinator
