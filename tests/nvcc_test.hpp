// For tests that run nvcc: a fixture with the toolkit and a temporary folder. Skipped if there is no nvcc.
#pragma once

#include <gtest/gtest.h>

#include "compiler/run/toolchain.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"

namespace launchbox {

class nvcc_test : public testing::Test {
protected:
    void SetUp() override
    {
        try {
            tools_ = find_toolchain();
        } catch (const error& none) {
            GTEST_SKIP() << none.what();
        }
    }

    temporary_directory folder_;
    toolchain tools_;
};

}  // namespace launchbox
