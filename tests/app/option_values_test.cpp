// Option texts as values: architectures, sizes, dynamic shared memory.
#include <gtest/gtest.h>

#include "app/architectures.hpp"
#include "app/sizes.hpp"
#include "support/error.hpp"

namespace launchbox {
namespace {

std::vector<std::string> names_of(const std::vector<target>& targets)
{
    std::vector<std::string> names;
    for (const target& one : targets)
        names.push_back(std::string(architecture_name(one.architecture).view()) +
                        (one.gpu.empty() ? "" : " " + one.gpu));
    return names;
}

using names = std::vector<std::string>;

TEST(architecture_list, contains_each_once_in_the_given_order)
{
    const architecture_list list("sm_90,8.0,sm_90");
    EXPECT_EQ(names_of(list.named({})), (names{"sm_90", "sm_80"}));
    EXPECT_EQ(names_of(list.known({})), (names{"sm_90", "sm_80"}));
    EXPECT_FALSE(list.empty());
    EXPECT_FALSE(list.has_all());
}

TEST(architecture_list, keeps_gpus_of_one_architecture_apart_only_if_asked)
{
    const architecture_list list("H100 PCIe,H200");
    EXPECT_EQ(names_of(list.gpus()).size(), 2u);
    EXPECT_EQ(list.known({}).size(), 1u);
}

TEST(architecture_list, expands_all_in_place)
{
    const architecture_list list("sm_90,all");
    EXPECT_TRUE(list.has_all());
    const std::vector<compute_capability> two{parse_compute_capability("8.0").value(),
                                              parse_compute_capability("9.0").value()};
    EXPECT_EQ(names_of(list.named(two)), (names{"sm_90", "sm_80"}));
    EXPECT_EQ(names_of(list.named({})), (names{"sm_90"}));
}

TEST(architecture_list, refuses_unknown_architectures_where_limits_are_needed)
{
    const architecture_list list("sm_99");
    EXPECT_EQ(names_of(list.named({})), (names{"sm_99"}));
    EXPECT_THROW((void)list.known({}), error);
    EXPECT_THROW((void)list.gpus(), error);
    EXPECT_THROW((void)architecture_list("sm_90,nonsense"), error);
    EXPECT_THROW((void)architecture_list("sm_90,"), error);
    EXPECT_TRUE(architecture_list("").empty());
}

TEST(architecture_list, may_be_limited_to_one)
{
    EXPECT_EQ(names_of({single_architecture("sm_90a", "--arch")}), (names{"sm_90a"}));
    for (const char* text : {"", "all", "sm_80,sm_90", "sm_99"})
        EXPECT_THROW((void)single_architecture(text, "--arch"), error) << text;
}

TEST(dynamic_shared_size, is_a_size_or_an_expression)
{
    EXPECT_EQ(dynamic_shared_size("11264").bytes(32), 11264);
    EXPECT_EQ(dynamic_shared_size("48K").bytes(32), 49152);
    const dynamic_shared_size grows("4*threads");
    EXPECT_EQ(grows.bytes(256), 1024);
    EXPECT_EQ(grows.text(), "4*threads");
    EXPECT_TRUE(grows.depends_on_threads());
    EXPECT_FALSE(dynamic_shared_size("48K").depends_on_threads());
    dynamic_shared_size copy("48K");
    copy = grows;
    EXPECT_EQ(copy.bytes(128), 512);
}

TEST(dynamic_shared_size, refuses_more_than_any_block_can_have)
{
    EXPECT_THROW(dynamic_shared_size("4*"), error);
    EXPECT_THROW(dynamic_shared_size("48Q"), error);
    const dynamic_shared_size falls("64 - threads");
    EXPECT_EQ(falls.bytes(32), 32);
    EXPECT_EQ(falls.unchecked_bytes(128), -64);
    EXPECT_THROW((void)falls.bytes(128), error);
    EXPECT_THROW((void)dynamic_shared_size("blocks").bytes(32), error);
}

}  // namespace
}  // namespace launchbox
