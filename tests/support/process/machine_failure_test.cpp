#include "support/process/machine_failure.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "support/files/files.hpp"

namespace launchbox {
namespace {

TEST(machine_failure, is_recognised_by_error_number)
{
    for (const int number : {ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM, EAGAIN, EIO, ESTALE})
        EXPECT_THROW(throw_system_error("x", number, ""), machine_error) << number;
    for (const int number : {ENOENT, EACCES, EISDIR, ENOEXEC, ELOOP}) {
        try {
            throw_system_error("cannot open k.cu", number, "check the path");
        } catch (const machine_error&) {
            FAIL() << number;
        } catch (const error& failure) {
            EXPECT_TRUE(std::string(failure.what()).starts_with("cannot open k.cu: ")) << failure.what();
        }
    }
}

TEST(machine_failure, is_looked_for_in_counters)
{
    const temporary_directory folder;
    EXPECT_EQ(machine_watch(folder.path()).lacked(), "");
    EXPECT_NE(machine_watch(folder.path() / "gone").lacked(), "") << "somebody has removed our folder";
}

}  // namespace
}  // namespace launchbox
