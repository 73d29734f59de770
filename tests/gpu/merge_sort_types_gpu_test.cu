// merge_sort on a GPU: keys of 1 to 32 bytes and their orders, against std::stable_sort, bit by bit.
#include "merge_sort_check.cuh"

namespace {

using namespace merge_sort_check;
using namespace sort_types;
using launchbox::greater;

TEST_F(merge_sort_on_gpu, keys_that_are_integers)
{
    check<make<std::int8_t>>();
    check<make<std::uint8_t>, none>(greater{});
    check<make<std::int16_t>>();
    check<make<std::int32_t>>();
    check<make<std::uint64_t>>();
    check<make<__int128>>();
}

// If only a part of a key is compared, stability is visible.
TEST_F(merge_sort_on_gpu, keys_of_which_a_part_counts)
{
    check<make<std::uint8_t>, none>(by_lower_bits{7});
    check<make<std::uint16_t>, bytes<1>>(by_lower_bits{0xff});
    check<make<std::int32_t>, none>(by_absolute_value{});
    check<make<tagged<8>>, none>(by_number{});
    check<make<tagged<12>>, none>(by_number{});
    check<make<tagged<16>>, none>(by_number{});
    check<make<tagged<24>>, none>(by_number{});
    check<make<tagged<32>>, none>(by_number{});
}

TEST_F(merge_sort_on_gpu, floating_point_with_zeros_of_both_signs)
{
    check<signed_zeros>();
    check<signed_zeros, none>(greater{});
    check<signed_zeros, bytes<2>>();
    check<make<double>>();
    check<make<double>, none>(by_absolute_value{});
}

TEST_F(merge_sort_on_gpu, keys_without_a_default_constructor)
{
    check<make<color>, none>(by_color{0});
    check<make<color>, bytes<3>>(by_color{1});
    check<make<color>, bytes<8>>(by_color{2});
}

}  // namespace
