// merge_sort on a GPU: values of 1 to 32 bytes, against std::stable_sort, bit by bit.
#include "merge_sort_check.cuh"

namespace {

using namespace merge_sort_check;
using namespace sort_types;
using launchbox::greater;

TEST_F(merge_sort_on_gpu, small_values)
{
    check<make<std::uint32_t>, bytes<1>>();
    check<make<std::uint32_t>, std::uint16_t>();
    check<make<std::uint8_t>, std::uint32_t>();
    check<make<std::uint64_t>, std::uint8_t>(greater{});
    check<make<std::uint32_t>, std::uint64_t>();
    check<make<std::int16_t>, bytes<6>>();
}

TEST_F(merge_sort_on_gpu, large_values)
{
    check<make<std::uint32_t>, bytes<9>>();
    check<make<std::uint32_t>, tagged<12>>();
    check<make<std::uint32_t>, tagged<16>>();
    check<make<std::uint64_t>, bytes<17>>();
    check<make<std::uint8_t>, tagged<24>>();
    check<make<tagged<16>>, bytes<32>>(by_number{});
    check<make<tagged<32>>, tagged<32>>(by_number{});
}

}  // namespace
