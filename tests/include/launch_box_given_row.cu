#define LAUNCHBOX_ROW                            \
    {                                            \
        .threads = 96, .items = 5, .bytes = 3072 \
    }
#include "launch_box_given_row.hpp"

#include <launchbox/launch_box.cuh>

namespace launchbox {
namespace {

struct row {
    int threads, items, min_blocks = 0, bytes = 0;
    constexpr int dynamic_shared_bytes() const { return bytes; }
};

struct candidate {
    using tuning = launch_box<sm<80, row{256, 11, 3}>, sm<90, row{512, 15, 2}> >;
    template <row r>
    static __device__ void run(int* data)
    {
        data[0] = r.items;
    }
};

}  // namespace

void launch_with_given_row(long long elements)
{
    launch<candidate>(nullptr, elements, nullptr);
}

given_row row_that_is_given(long long elements)
{
    const row r = row_for<candidate>(elements);
    return {r.threads, r.items, r.min_blocks, r.bytes};
}

std::string explain_given_row()
{
    return explain<candidate>();
}

const void* kernel_with_given_row()
{
    return detail::tuned_kernel<candidate, detail::this_unit, 0>::handle().function;
}

const void* probe_with_given_row()
{
    return reinterpret_cast<const void*>(&detail::architecture_probe<detail::this_unit>);
}

}  // namespace launchbox
