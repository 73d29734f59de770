// SPDX-License-Identifier: Apache-2.0
// Linked like the tool, so that exceptions and random numbers use src/support/glibc.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <atomic>
#include <cstdlib>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

[[gnu::noinline]] int thrown_from(int depth)
{
    if (depth == 0) throw std::runtime_error("from below");
    return thrown_from(depth - 1) + 1;
}

/// 0 if glibc's own function gives the same; -1 if there is none.
int compare_with_glibc(void* address)
{
    using function = int (*)(void*, dl_find_object*);
    const auto theirs = reinterpret_cast<function>(dlsym(RTLD_NEXT, "_dl_find_object"));
    if (!theirs) return -1;
    dl_find_object expected{}, found{};
    if ((theirs(address, &expected) == 0) != (_dl_find_object(address, &found) == 0)) return 1;
    return expected.dlfo_eh_frame != found.dlfo_eh_frame;
}

}  // namespace

TEST(older_glibc, exceptions_are_caught_at_any_depth_and_on_any_thread)
{
    std::atomic<int> caught{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            for (int depth = 0; depth < 200; ++depth) {
                try {
                    thrown_from(depth);
                } catch (const std::runtime_error&) {
                    ++caught;
                }
            }
        });
    for (auto& each : threads) each.join();
    EXPECT_EQ(caught, 8 * 200);
}

TEST(older_glibc, exceptions_propagate_through_functions_of_the_c_library)
{
    int numbers[] = {3, 1, 2};
    EXPECT_THROW(std::qsort(numbers, 3, sizeof(int),
                            [](const void*, const void*) -> int { throw std::runtime_error("from a callback"); }),
                 std::runtime_error);
}

TEST(older_glibc, unwind_tables_are_where_glibc_finds_them)
{
    int on_the_stack = 0;
    void* const addresses[] = {reinterpret_cast<void*>(&thrown_from), dlsym(RTLD_DEFAULT, "qsort"),
                               dlsym(RTLD_DEFAULT, "cos"), &on_the_stack, nullptr};
    for (void* address : addresses) EXPECT_EQ(compare_with_glibc(address), 0) << address;
}

TEST(older_glibc, random_numbers_differ)
{
    std::random_device device;
    std::set<unsigned> seen;
    for (int i = 0; i < 100; ++i) seen.insert(device());
    EXPECT_GT(seen.size(), 95u);
}

TEST(older_glibc, the_program_itself_defines_these_functions)
{
    Dl_info info{};
    // A hidden symbol is not in the tables that dlsym reads: the loader finds glibc's, if it has one.
    void* const visible = dlsym(RTLD_DEFAULT, "_dl_find_object");
    EXPECT_NE(visible, reinterpret_cast<void*>(&_dl_find_object));
    ASSERT_NE(dladdr(reinterpret_cast<void*>(&_dl_find_object), &info), 0);
    EXPECT_EQ(std::string(info.dli_fname).find("ld-linux"), std::string::npos) << info.dli_fname;
}
