// SPDX-License-Identifier: Apache-2.0
// Who has figures to show: each part of a node adds a function that writes its own onto a page.
// Nothing is computed until somebody asks. No global: every node of a process has its own.
#pragma once

#include <functional>
#include <vector>

#include "milena/env/guarded.h"
#include "milena/telemetry/page.h"

namespace milena::telemetry {

class Registry {
public:
    /// What a source touches outlives the last call of page().
    using Source = std::function<void(Page&)>;

    /// For what only the control thread may touch. Must be quick.
    void add_on_control(Source source) { add(std::move(source), true); }
    /// For figures that any thread may read, however many there are.
    void add(Source source) { add(std::move(source), false); }

    /// The sources of the first kind; on the control thread.
    void write_control(Page& page) const { write(page, true); }
    /// Those of the second; on any thread, best one of a pool.
    void write_others(Page& page) const { write(page, false); }

private:
    struct Entry {
        Source write;
        bool is_on_control;
    };
    void add(Source source, bool is_on_control);
    void write(Page& page, bool is_on_control) const;

    env::Guarded<std::vector<Entry>> sources_;
};

}  // namespace milena::telemetry
