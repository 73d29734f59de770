// The comparison of outputs on a real GPU against that on the host: 10^7 pairs of every type, and each special value
// with each.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <span>

#include "record.hpp"
#include "tune/worker/buffers.hpp"
#include "tune/worker/compare/half.hpp"
#include "tune/worker/gpu_context.hpp"

namespace launchbox {
namespace {

using bits = std::uint64_t;

constexpr std::size_t pairs_per_comparison = 4096, comparisons_per_round = 32;
constexpr std::size_t pairs_per_round = pairs_per_comparison * comparisons_per_round;
constexpr std::size_t rounds = 10'000'000 / pairs_per_round + 1;

struct tolerance {
    double absolute = 0, relative = 0;
};

bits bits_of(double value, const element_type& type)
{
    switch (type.what) {
        case element_type::kind::half:
            return half_bits(value);
        case element_type::kind::bfloat16:
            return bfloat16_bits(static_cast<float>(value));
        case element_type::kind::floating:
            return type.bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                   : std::bit_cast<std::uint64_t>(value);
        default:
            return static_cast<bits>(static_cast<std::int64_t>(value));
    }
}

// Zeros, ones, the ends of every range, subnormal numbers, infinities, NaNs with and without payload, and the poison
// value.
std::vector<bits> corners_of(const element_type& type)
{
    std::vector<bits> corners{0, 1, 2, ~bits{0}, poison_word, bits{poison_word} << 32 | poison_word};
    for (int bit = 0; bit < 8 * std::min(type.bytes, 8); ++bit)
        for (const bits around : {bits{1} << bit, (bits{1} << bit) - 1, (bits{1} << bit) + 1, ~(bits{1} << bit)})
            corners.push_back(around);
    for (const double value : {0.0, 1.0, 0.5, 3.0, 1e-3, 1e30, 6e-8, 65504.0, 3.4e38, 1e300, 4.9e-324,
                               static_cast<double>(INFINITY), std::nan("")})
        for (const double sign : {1.0, -1.0})
            if (std::isfinite(value) && std::abs(value) < 1e18)
                corners.push_back(bits_of(sign * value, type));
            else if (type.what != element_type::kind::signed_integer &&
                     type.what != element_type::kind::unsigned_integer && type.what != element_type::kind::opaque)
                corners.push_back(bits_of(sign * value, type));
    return corners;
}

class pair_maker {
public:
    pair_maker(const element_type& type, const tolerance& within, unsigned seed)
        : type_(type), within_(within), random_(seed), corners_(corners_of(type))
    {
    }

    void fill(std::string& output, std::string& reference)
    {
        const std::size_t element = static_cast<std::size_t>(type_.bytes);
        for (std::size_t at = 0; at < output.size(); at += element) {
            for (std::size_t byte = 0; byte < element; byte += 8) {
                const std::size_t size = std::min<std::size_t>(element - byte, 8);
                const bits wanted = one();
                const bits is = near(wanted);
                std::memcpy(reference.data() + at + byte, &wanted, size);
                std::memcpy(output.data() + at + byte, &is, size);
            }
        }
    }

private:
    bits one()
    {
        if (next_ < corners_.size() * corners_.size()) return corners_[next_ / corners_.size()];
        if (random_() % 4 == 0) return corners_[random_() % corners_.size()];
        if (random_() % 2 == 0)
            return bits_of(std::ldexp(static_cast<double>(random_() % 2001) - 1000, exponent()), type_);
        return random_();
    }

    bits near(bits wanted)
    {
        if (next_ < corners_.size() * corners_.size()) return corners_[next_++ % corners_.size()];
        switch (random_() % 8) {
            case 0:
                return wanted;
            case 1:
                return wanted + 1 + random_() % 4;
            case 2:
                return wanted - 1 - random_() % 4;
            case 3:
                return wanted ^ bits { 1 } << random_() % 64;
            case 4:
                return poison_word | bits{poison_word} << 32;
            case 5:
                return corners_[random_() % corners_.size()];
            case 6: {  // at the edge of the tolerance
                const double value = value_of(wanted);
                const double edge = within_.absolute + within_.relative * std::abs(value);
                const bits other = bits_of(value + (random_() % 2 == 0 ? edge : -edge), type_);
                return other + random_() % 3 - 1;
            }
            default:
                return random_();
        }
    }

    [[nodiscard]] double value_of(bits from) const
    {
        switch (type_.what) {
            case element_type::kind::half:
                return half_value(static_cast<std::uint16_t>(from));
            case element_type::kind::bfloat16:
                return bfloat16_value(static_cast<std::uint16_t>(from));
            case element_type::kind::floating:
                return type_.bytes == 4 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(from)))
                                        : std::bit_cast<double>(from);
            default:
                return static_cast<double>(from % 1'000'000);
        }
    }

    int exponent() { return type_.what == element_type::kind::floating ? static_cast<int>(random_() % 64) - 32 : 0; }

    element_type type_;
    tolerance within_;
    std::mt19937_64 random_;
    std::vector<bits> corners_;
    std::size_t next_ = 0;
};

// Pairs for which GPU and host disagree, over all comparisons.
std::size_t disagreements(gpu_context& gpu, const std::string& name, const tolerance& within, std::size_t some_rounds)
{
    const element_type type = element_type_of(name);
    const std::size_t element = static_cast<std::size_t>(type.bytes), bytes = pairs_per_round * element;
    CUdeviceptr on_gpu[2] = {};
    for (CUdeviceptr& buffer : on_gpu) gpu.check(gpu.driver().allocate(&buffer, bytes), "allocate");
    pair_maker pairs(type, within, 20);
    std::string sides[2] = {std::string(bytes, '\0'), std::string(bytes, '\0')};
    std::size_t wrong = 0, differing = 0;
    for (std::size_t round = 0; round < some_rounds; ++round) {
        pairs.fill(sides[0], sides[1]);
        for (int side : {0, 1})
            gpu.upload(on_gpu[side], bytes, [&](std::size_t start, std::size_t size, char* to) {
                std::memcpy(to, sides[side].data() + start, size);
            });
        const std::size_t piece = pairs_per_comparison * element;
        for (std::size_t at = 0; at < bytes; at += piece)
            gpu.ask_difference(type, on_gpu[0] + at, on_gpu[1] + at, pairs_per_comparison, within.absolute,
                               within.relative);
        const std::vector<std::uint64_t> answers = gpu.sums();
        for (std::size_t at = 0; at < comparisons_per_round; ++at) {
            output_comparison host(type, within.absolute, within.relative);
            host.add(std::string_view(sides[0]).substr(at * piece, piece),
                     std::string_view(sides[1]).substr(at * piece, piece));
            const output_difference found = gpu_context::difference_in(&answers[gpu_context::slots_of_difference * at]);
            differing += static_cast<std::size_t>(found.differing);
            if (found == host.result()) continue;
            if (++wrong == 1)
                ADD_FAILURE() << name << ", tolerance " << within.absolute << " + " << within.relative << ": GPU "
                              << found.differing << " from " << found.first << " by " << found.largest << ", host "
                              << host.result().differing << " from " << host.result().first << " by "
                              << host.result().largest;
        }
    }
    for (const CUdeviceptr buffer : on_gpu) gpu.driver().free(buffer);
    const std::size_t all = some_rounds * pairs_per_round;
    EXPECT_GT(differing, all / 20) << name << ": pairs that nobody could take for different prove nothing";
    EXPECT_LT(differing, all) << name;
    return wrong;
}

TEST(compare_gpu_test, agrees_with_the_host)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no GPU";
    gpu_context gpu(0, [] {});
    double pairs = 0, wrong = 0;
    for (const char* name :
         {"signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long long",
          "unsigned long long", "half", "nv_bfloat16", "float", "double", "__nv_fp8_e4m3", "half2", "uchar3", "float4"})
        for (const tolerance& within : {tolerance{0, 0}, {1e-6, 1e-5}, {0.5, 0}, {0, 0.01}, {3, 0.25}}) {
            const bool exact_only = element_type_of(name).what == element_type::kind::opaque;
            if (exact_only && within.absolute + within.relative > 0) continue;
            const std::size_t some = exact_only ? rounds : rounds / 5 + 1;
            wrong += static_cast<double>(disagreements(gpu, name, within, some));
            pairs += static_cast<double>(some * pairs_per_round);
        }
    record("compare", "pairs", pairs);
    record("compare", "comparisons_that_differ_from_the_host", wrong);
}

}  // namespace
}  // namespace launchbox
