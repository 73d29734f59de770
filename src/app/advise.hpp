// What to do with each kernel of a source, on every architecture that was named.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/bounds/source_bounds.hpp"
#include "app/listener.hpp"
#include "report/bounds/advice_report.hpp"
#include "support/error.hpp"

namespace launchbox {

struct advice_result {
    advice_report report;
    bool interrupted = false;
    exit_status status = exit_status::done;
};

/// As `find_bounds`, whose answers it joins with the launches of the source and what else is known of its kernels.
advice_result find_advice(const source_bounds_request& request, const listener& news = {});

}  // namespace launchbox
