// The output of LLVM's demangler for nvcc 13.0's names of include/launchbox/launch_box.cuh.
#include "image/names/launch_box_name.hpp"

#include <gtest/gtest.h>

#include "image/names/demangle.hpp"
#include "image/names/kernel_identity.hpp"

namespace launchbox {
namespace {

const std::string square = "_ZN9launchbox5tunedI6squareLj694568833ELj0EmJPiiEEEvT2_DpT3_";
const std::string square_of_another_list = "_ZN9launchbox5tunedI6squareLj2853736489ELj0EmJPiiEEEvT2_DpT3_";
const std::string second_class = "_ZN9launchbox5tunedI5sizedLj694568833ELj1EmJPiEEEvT2_DpT3_";
const std::string of_a_template = "_ZN9launchbox5tunedI5mergeIiLb0EELj694568833ELj0EmJPiiEEEvT2_DpT3_";
const std::string probe = "_ZN9launchbox6detail18architecture_probeINS0_8unit_forIJLi750ELi900EEEEEEvv";

TEST(launch_box_name, is_the_name_of_the_body)
{
    EXPECT_EQ(short_name(demangle(square)), "square");
    EXPECT_EQ(short_name(demangle(second_class)), "sized (size class 1)");
    EXPECT_EQ(short_name(demangle(of_a_template)), "merge<int, false>");
    EXPECT_EQ(short_name(demangle(probe)), "launchbox::architecture_probe");
}

TEST(launch_box_name, is_the_same_with_another_list_of_architectures)
{
    EXPECT_NE(demangle(square), demangle(square_of_another_list));
    EXPECT_EQ(kernel_identity(square, demangle(square)),
              kernel_identity(square_of_another_list, demangle(square_of_another_list)));
    EXPECT_EQ(without_unit(demangle(square)),
              "void launchbox::tuned<square, 0u, unsigned long, int*, int>(unsigned long, int*, int)");
}

TEST(launch_box_name, malformed_names_have_no_body)
{
    for (const char* name : {"void launchbox::tuned<, , >", "void launchbox::tuned<a, b, c>", "launchbox::tuned<,,"})
        EXPECT_EQ(launch_box_name(name), std::nullopt) << name;
}

TEST(launch_box_name, other_names_are_unchanged)
{
    for (const char* name : {"square(int*)", "void square<launchbox::tuned<int>>(int*)", "void launchbox::tuned<",
                             "void launchbox::tuned<square", "void launchbox::tuned<square>",
                             "void my::launchbox::tuned<a, 1u, 0u>()", "void launchbox::tuned<a>>>>(((", ""}) {
        EXPECT_EQ(launch_box_name(name), std::nullopt) << name;
        EXPECT_EQ(without_unit(name), name);
    }
}

// Every prefix: brackets are not searched for beyond the end.
TEST(launch_box_name, survives_every_prefix)
{
    const std::string whole = demangle(of_a_template);
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        launch_box_name(whole.substr(0, size));
        EXPECT_LE(without_unit(whole.substr(0, size)).size(), size);
    }
}

TEST(launch_box_name, the_probe_is_distinguished_from_all_other_kernels)
{
    EXPECT_TRUE(is_architecture_probe(demangle(probe)));
    EXPECT_FALSE(is_architecture_probe("void launchbox::architecture_probe_of_mine()"));
    EXPECT_FALSE(is_architecture_probe(""));
}

}  // namespace
}  // namespace launchbox
