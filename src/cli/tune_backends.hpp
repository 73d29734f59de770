// On what a spec is to be measured here: GPUs, the processor, or a record.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tune/build/kernel_builder.hpp"
#include "tune/run/backend.hpp"
#include "tune/space/search_space.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox::cli {

struct lane_request {
    std::string architecture;  ///< --arch; empty: that of each GPU
    std::vector<int> gpus;     ///< --gpu; empty: all
    std::string replay;        ///< a store or its JSON; empty: really measured
    bool build_only = false;
    builder_options builder;
    std::filesystem::path folder;  ///< for what is built; it outlives the lanes
};

/// A lane with what it needs, and the names that the constraints may use on it.
struct planned_lane {
    tune_lane lane;
    named_constants limits;
};

struct planned_lanes {
    std::unique_ptr<kernel_builder> builder;  ///< of a [kernel]; all lanes use it
    std::vector<planned_lane> lanes;
};

/// GPUs that are alike share a lane. Throws `error` with status `missing` when the spec needs a GPU or a compiler and
/// there is none, with what can be done instead. `spec` must outlive the lanes.
planned_lanes plan_lanes(const tune_spec& spec, const lane_request& request);

/// `run_info::source_hash` of the spec's sources as they are now. Throws `error` where it needs a compiler to say which
/// files a kernel includes and there is none.
std::string source_hash_of(const tune_spec& spec);

}  // namespace launchbox::cli
