// Runs the tests, or acts as the worker process that the tests start.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "tune/build/kernel_builder.hpp"
#include "tune/worker/gpu_worker.hpp"

int main(int count, char** arguments)
{
    if (count >= 3 && std::string_view(arguments[1]) == "--worker") {
        if (std::string_view(arguments[2]) == "gpu")
            return count == 4 ? launchbox::run_gpu_worker(std::atoi(arguments[3]), {}) : 2;
        return launchbox::run_compile_worker();
    }
    testing::InitGoogleTest(&count, arguments);
    return RUN_ALL_TESTS();
}
