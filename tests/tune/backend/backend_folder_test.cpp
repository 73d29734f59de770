// The backends of one call keep their files apart.
#include "tune/backend/backend_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/files/files.hpp"

namespace launchbox {
namespace {

TEST(backend_folder, each_backend_of_a_call_has_its_own)
{
    const temporary_directory call;
    const std::filesystem::path first = folder_of_backend(call.path()), second = folder_of_backend(call.path());
    EXPECT_NE(first, second);
    EXPECT_TRUE(std::filesystem::is_directory(first));
    EXPECT_TRUE(std::filesystem::is_directory(second));
    EXPECT_EQ(first.parent_path(), call.path());
    EXPECT_TRUE(folder_of_backend({}).empty());
}

}  // namespace
}  // namespace launchbox
