// Parameters as a cubin describes them to the driver: they have the offsets of members of a C++ struct.
#include "image/module_symbols.hpp"

#include <gtest/gtest.h>

#include <cstddef>

#include "scale.hpp"
#include "toolkit.hpp"

namespace launchbox {
namespace {

using places = std::vector<parameter_place>;

struct five {
    char bytes[5];
};
struct alignas(16) aligned {
    double numbers[2];
};
struct nothing {};
struct many {
    char bytes[5000];
};

// The parameters of the kernels below.
struct mixed {
    char a;
    short b;
    five c;
    const int* d;
    float e;
    aligned f;
    nothing g;
    bool h;
};
struct huge {
    int a;
    many b;
    char c;
    double d;
};

const std::string source = R"cuda(
struct five { char bytes[5]; };
struct alignas(16) aligned { double numbers[2]; };
struct nothing {};
struct many { char bytes[5000]; };
__device__ int counter;
__constant__ float scale[4];
namespace inner { __device__ double sums[3] = {1, 2, 3}; }
extern "C" __global__ void none() {}
extern "C" __global__ void mixed(char a, short b, five c, const int* d, float e, aligned f, nothing g, bool h)
{
    __shared__ int not_a_variable;
    not_a_variable = a;
    inner::sums[b] = c.bytes[1] + *d + e + f.numbers[0] + h + scale[b] + counter++ + not_a_variable;
}
extern "C" __global__ void huge(int a, many b, char c, double d) { inner::sums[a] = b.bytes[a] + c + d; }
)cuda";

TEST(module_symbols, parameters_have_the_offsets_of_struct_members)
{
    SKIP_WITHOUT_TOOLKIT();
    const auto architectures = is_exhaustive()
                                   ? std::vector<std::string>{"sm_75", "sm_80", "sm_90a", "sm_100", "sm_120"}
                                   : std::vector<std::string>{"sm_75", "sm_90"};
    for (const std::string& architecture : architectures) {
        SCOPED_TRACE(architecture);
        const compiled made = compile_cuda(source, architecture);
        ASSERT_EQ(made.exit_code, 0) << made.log;
        EXPECT_EQ(parameters_of(made.image, "none"), places{});
        EXPECT_EQ(parameters_of(made.image, "mixed"), (places{{offsetof(mixed, a), 1},
                                                              {offsetof(mixed, b), 2},
                                                              {offsetof(mixed, c), 5},
                                                              {offsetof(mixed, d), 8},
                                                              {offsetof(mixed, e), 4},
                                                              {offsetof(mixed, f), 16},
                                                              {offsetof(mixed, g), 1},
                                                              {offsetof(mixed, h), 1}}));
        EXPECT_EQ(
            parameters_of(made.image, "huge"),
            (places{
                {offsetof(huge, a), 4}, {offsetof(huge, b), 5000}, {offsetof(huge, c), 1}, {offsetof(huge, d), 8}}));
        EXPECT_EQ(parameters_of(made.image, "another"), std::nullopt);
        const auto variables = variables_of(made.image);
        EXPECT_TRUE(variables.contains("counter") && variables.contains("scale"));
        EXPECT_TRUE(variables.contains("_ZN5inner4sumsE"));
        EXPECT_FALSE(variables.contains("mixed"));
        EXPECT_EQ(variables.size(), 3U);
    }
}

// A record that is missing, duplicated, or of a parameter that overlaps another: no list is better than a wrong one.
TEST(module_symbols, impossible_records_give_no_list)
{
    SKIP_WITHOUT_TOOLKIT();
    const compiled made = compile_cuda(source, "sm_90");
    ASSERT_EQ(made.exit_code, 0) << made.log;
    const std::string record("\x04\x17\x0c\x00\x00\x00\x00\x00\x01\x00", 10);  // of parameter 1; its offset follows
    const std::size_t at = made.image.find(record);
    ASSERT_NE(at, std::string::npos);
    const auto with = [&](std::size_t place, char byte) {
        std::string image = made.image;
        image[at + place] = byte;
        return parameters_of(image, "mixed");
    };
    EXPECT_NE(with(8, 1), std::nullopt);
    EXPECT_EQ(with(8, 0), std::nullopt);       // parameter 0 appears twice
    EXPECT_EQ(with(8, 99), std::nullopt);      // parameter 1 is missing
    EXPECT_EQ(with(1, '\x18'), std::nullopt);  // likewise
    EXPECT_EQ(with(10, 3), std::nullopt);      // overlaps the next
    EXPECT_EQ(with(10, 0), std::nullopt);      // overlaps the previous
    EXPECT_EQ(with(0, '\x09'), std::nullopt);  // a record of no known format
    std::string empty = made.image;
    for (std::size_t i = 12; i < 16; ++i) empty[at + i] = 0;
    EXPECT_EQ(parameters_of(empty, "mixed"), std::nullopt);
    for (std::size_t bytes = 0; bytes < made.image.size(); bytes += 97) {
        const std::string_view cut = std::string_view(made.image).substr(0, bytes);
        EXPECT_EQ(parameters_of(cut, "mixed").value_or(places(8)).size(), 8U) << bytes;
        (void)variables_of(cut);
    }
}

TEST(module_symbols, the_first_overlap_is_found)
{
    EXPECT_EQ(first_overlap({}), std::nullopt);
    EXPECT_EQ(first_overlap({{0, 8}}), std::nullopt);
    EXPECT_EQ(first_overlap({{0, 8}, {8, 8}, {24, 4}}), std::nullopt);
    EXPECT_EQ(first_overlap({{0, 8}, {7, 1}}), 1U);
    EXPECT_EQ(first_overlap({{8, 8}, {0, 8}}), 1U);
    EXPECT_EQ(first_overlap({{0, 4}, {4, 0xffffffff}, {8, 4}}), 2U);
}

}  // namespace
}  // namespace launchbox
