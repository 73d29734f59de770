// Arguments that do not match the kernel are found without a GPU.
#include "tune/backend/argument_check.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "support/files/files.hpp"

namespace launchbox {
namespace {

task_argument array(const std::string& name, const std::string& type)
{
    task_argument argument;
    argument.name = name;
    argument.type = type;
    argument.count = 100;
    return argument;
}

task_argument scalar(const std::string& name, const std::string& type)
{
    task_argument argument = array(name, type);
    argument.scalar = true;
    return argument;
}

using types = std::vector<std::string>;

TEST(argument_check, reads_the_parameters_of_a_signature)
{
    EXPECT_EQ(parameters_of_signature("void scale<int, (int)4>(point<int, 4>*, float const*, int)"),
              (types{"point<int, 4>*", "float const*", "int"}));
    EXPECT_EQ(parameters_of_signature("f()"), types{});
    EXPECT_EQ(parameters_of_signature("f(void (*)(int, int), int)"), (types{"void (*)(int, int)", "int"}));
    EXPECT_EQ(parameters_of_signature("plain"), std::nullopt);
    EXPECT_EQ(parameters_of_signature(")"), std::nullopt);
    EXPECT_EQ(parameters_of_signature("()"), std::nullopt);
}

TEST(argument_check, reads_the_parameters_of_a_source)
{
    const temporary_directory folder;
    const std::filesystem::path file = folder.path() / "k.cu";
    std::ofstream(file)
        << "void scale(int); // __global__ void scale(int a)\n"
           "template <class T, int n = 3>\n"
           "__global__ __launch_bounds__(256, 2) void scale(const T* __restrict__ in, T *out, unsigned int "
           "n, std::size_t m = 4, float4 v[], const float)\n{ other(1); }\n"
           "extern \"C\" __global__ void none(void) {}\n"
           "__global__ void twice(int* a);\n__global__ void twice(float* a) {}\n"
           "__global__ void again(int* a);\n__global__ void again(int* b) {}\n"
           "__global__ void macro(ARGUMENTS) {}\n"
           "template <class... A> __global__ void pack(int n, A... a) {}\n";
    const auto in = [&](const char* name) { return parameters_in_source({file, folder.path() / "missing.h"}, name); };
    EXPECT_EQ(in("a::scale<{type}, 4>"),
              (types{"const T* __restrict__", "T*", "unsigned int", "size_t", "float4*", "const float"}));
    EXPECT_EQ(in("none"), types{});
    EXPECT_EQ(in("twice"), std::nullopt);
    EXPECT_EQ(in("again"), types{"int*"});
    EXPECT_EQ(in("other"), std::nullopt);
    EXPECT_EQ(in("macro"), std::nullopt);
    EXPECT_EQ(in("pack<int>"), std::nullopt);
}

TEST(argument_check, compares_number_kind_and_size)
{
    const auto why = [](const types& kernel, const std::vector<task_argument>& given) {
        return why_arguments_differ(kernel, given);
    };
    EXPECT_EQ(why({"float const*", "T*", "int"}, {array("in", "float"), array("out", "double"), scalar("n", "int")}),
              "");
    EXPECT_EQ(why({"float*", "int"}, {array("in", "float")}), "the kernel has 2 parameters, but 1 arguments are given");
    EXPECT_EQ(why({"float*"}, {array("in", "int")}),
              "'in' for parameter 1 of the kernel is an array of int, but it takes float*");
    EXPECT_EQ(why({"int"}, {array("n", "int")}), "'n' for parameter 1 of the kernel is an array, but it takes one int");
    EXPECT_EQ(why({"int*"}, {scalar("n", "int")}),
              "'n' for parameter 1 of the kernel is a scalar int, but it takes a pointer");
    EXPECT_EQ(why({"long long"}, {scalar("n", "int")}),
              "'n' for parameter 1 of the kernel is int, but it takes long long");
    EXPECT_EQ(why({"float"}, {scalar("x", "int")}), "'x' for parameter 1 of the kernel is int, but it takes float");
    // Possibly right: other signedness, bytes, vectors, null pointers, user-defined types.
    EXPECT_EQ(why({"unsigned int const*", "void*", "char*", "float4*", "int*", "const my_type", "unsigned long"},
                  {array("a", "int"), array("b", "int"), array("c", "double"), array("d", "float"),
                   scalar("e", "size_t"), scalar("f", "int"), scalar("g", "size_t")}),
              "");
}

TEST(argument_check, without_a_signature_only_sizes_are_compared)
{
    kernel_info kernel;
    kernel.name = "plain";
    EXPECT_EQ(why_arguments_differ(kernel, {scalar("n", "int")}), "");
    kernel.figures.parameter_bytes = 20;
    EXPECT_EQ(why_arguments_differ(kernel, {array("a", "int"), array("b", "int"), scalar("n", "int")}), "");
    EXPECT_EQ(why_arguments_differ(kernel, {array("a", "int"), scalar("n", "int")}),
              "the kernel's parameters take 20 B, but the 2 arguments 12 B");
    kernel.name = "_Z5scalePfi";
    EXPECT_EQ(why_arguments_differ(kernel, {array("a", "float"), scalar("n", "int")}), "");
    EXPECT_NE(why_arguments_differ(kernel, {array("a", "int"), scalar("n", "int")}), "");
}

}  // namespace
}  // namespace launchbox
