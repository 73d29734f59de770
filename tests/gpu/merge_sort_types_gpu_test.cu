// merge_sort on a GPU: keys of 1 to 32 bytes, values of 1 to 32, orders; against std::stable_sort, bit by bit.
#include "merge_sort_check.cuh"

namespace {

using namespace merge_sort_check;
using namespace sort_types;
using launchbox::greater;
using launchbox::less;

template <class Make, class Value = none, class Compare = less>
void check(const Compare& compare = {})
{
    const std::vector<std::size_t> sizes =
        is_reduced() ? std::vector<std::size_t>{1, 3000, 20011} : std::vector<std::size_t>{1, 2, 777, 4097, 150011};
    for (const std::size_t n : sizes)
        for (const kind input : {kind::random, kind::few, kind::organ_pipe})
            for (const std::size_t offset : {std::size_t{0}, std::size_t{1}}) {
                if (is_reduced() && (input == kind::organ_pipe) != (offset == 1)) continue;
                expect_as_stable_sort<Make, Value>(input, n, compare, offset);
            }
}

TEST_F(merge_sort_on_gpu, keys_that_are_integers)
{
    check<make<std::int8_t>>();
    check<make<std::uint8_t>, none>(greater{});
    check<make<std::int16_t>>();
    check<make<std::int32_t>>();
    check<make<std::uint64_t>>();
    check<make<__int128>>();
}

// Where only a part of a key counts, stability shows.
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
