// A benchmark may print anything. Every time that is read is positive and finite; everything else has a reason.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tune/bench/benchmark_output.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const launchbox::benchmark_time time =
        launchbox::read_benchmark_output({reinterpret_cast<const char*>(data), size});
    if (time.found() == !time.diagnostic.empty()) std::abort();
    for (double sample : time.samples_ns)
        if (!std::isfinite(sample) || sample <= 0) std::abort();
    return 0;
}
