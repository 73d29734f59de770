// Runs the tests, or is the compile worker that they start.
#include <gtest/gtest.h>

#include <string_view>

#include "tune/kernel_builder.hpp"

int main(int count, char** arguments)
{
    if (count >= 3 && std::string_view(arguments[1]) == "--worker") return launchbox::run_compile_worker();
    testing::InitGoogleTest(&count, arguments);
    return RUN_ALL_TESTS();
}
