// Names made to exhaust LLVM's demangler, and the processes that they may kill.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "image/names/demangle.hpp"
#include "image/names/demangle_bound.hpp"
#include "image/names/demangle_child.hpp"

namespace launchbox {
namespace {

// The n-th substitution S_ S0_ ... S9_ SA_ ... or template parameter T_ T0_ T1_ ...
std::string reference(char kind, int n)
{
    const int base = kind == 'S' ? 36 : 10;
    std::string digits;
    if (n-- > 0) do {
            digits.insert(digits.begin(), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[n % base]);
        } while ((n /= base) > 0);
    return kind + digits + '_';
}

// Forty levels, each of which contains the previous one twice.
std::vector<std::string> bombs()
{
    std::string types = "_Z1fPFvvE", arguments = "_Z1f1aIiiE", nested = "_Z1fN1a1bIiEE", in_list = "_Z1fI1aIiiE";
    for (int i = 0; i < 40; ++i) {
        const std::string type = reference('S', 2 * i + 1), argument = reference('S', i + 1),
                          scope = reference('S', i + 2), earlier = reference('T', i);
        types += "PFv" + type + type + 'E';
        arguments += "S_I" + argument + argument + 'E';
        nested += "NS0_I" + scope + scope + "EE";
        in_list += "1bI" + earlier + earlier + 'E';
    }
    return {types, arguments, nested, in_list + "EvT_"};
}

// Names that repeat types as often as real ones do, without doubling.
std::string long_name()
{
    std::string name = "_Z6kernelN2ns3boxIiEE";
    for (int i = 0; i < 1000; ++i) name += "S1_";
    return name;
}

std::string long_name_demangled()
{
    std::string text = "kernel(ns::box<int>";
    for (int i = 0; i < 1000; ++i) text += ", ns::box<int>";
    return text + ')';
}

std::vector<std::string> open_descriptors()
{
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) result.push_back(entry.path());
    return result;
}

long megabytes_of_children()
{
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    return usage.ru_maxrss / 1024;
}

// Child processes that this one started and has not waited for. A test before these may have started the process that
// removes what a killed process leaves (support/process/orphan_watch.hpp), which keeps running.
std::set<pid_t> children()
{
    std::set<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        if (!std::isdigit(static_cast<unsigned char>(entry.path().filename().string().front()))) continue;
        std::ifstream file(entry.path() / "stat");
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        // The line is "17 (name) S 1 ...", where the name may contain anything.
        int parent = 0;
        const std::size_t end = text.rfind(')');
        if (end != std::string::npos && std::sscanf(text.c_str() + end, ") %*c %d", &parent) == 1 &&
            parent == ::getpid())
            found.insert(std::atoi(text.c_str()));
    }
    return found;
}

// The result of reading some hostile names and this one.
std::string read(const std::string& name)
{
    if (name == "abort") std::abort();
    if (name == "throw") throw 1;
    if (name == "interrupt") std::raise(SIGINT);
    if (name == "loop")
        for (volatile bool forever = true; forever;) {
        }
    if (name == "memory")
        for (std::vector<std::string> all;;) all.emplace_back(1 << 20, 'x');
    if (name == "long") return std::string(1 << 20, 'x');
    return name + " read";
}

using hostile_names = std::vector<std::string>;

// Without a limit, reading each would take longer than a test may run.
TEST(hostile_name, is_returned_unchanged)
{
    const long before = megabytes_of_children();
    const std::set<pid_t> before_it = children();
    for (const std::string& bomb : bombs()) {
        EXPECT_LT(bomb.size(), 600u);
        EXPECT_EQ(demangle(bomb).substr(0, 80), bomb.substr(0, 80));
    }
    EXPECT_LE(megabytes_of_children(), std::max(before, 512L));
    EXPECT_EQ(children(), before_it) << "a child is left";
}

TEST(hostile_name, does_not_affect_other_names)
{
    hostile_names mangled{"_Z5plainPi"}, demangled{"plain(int*)"};
    for (const std::string& bomb : bombs()) {
        for (const std::string& name : {bomb, long_name(), std::string("main"), std::string("_Z5plainPi")})
            mangled.push_back(name);
        for (const std::string& name : {bomb, long_name_demangled(), std::string("main"), std::string("plain(int*)")})
            demangled.push_back(name);
    }
    EXPECT_EQ(demangle_all(mangled), demangled);
    EXPECT_EQ(demangle_all({}), hostile_names{});
    EXPECT_EQ(demangle(long_name()), long_name_demangled());
}

TEST(hostile_name, deep_ones_do_not_overflow_the_stack)
{
    for (const std::string unit : {"P", "N1aI", "Xng", "ng", "Dt", "1aIX", "_Z", "L_Z1fI", "A1_", "Dp", "Z", "cv"})
        for (const std::string start : {"_Z1f", "_Z1fIX", "_ZN1acv"})
            for (const std::size_t length : {1000u, 8000u}) {
                std::string name = start;
                while (name.size() < length) name += unit;
                EXPECT_LE(demangle(name + 'i').size(), 65536u);
            }
}

TEST(hostile_name, the_bound_is_above_the_output)
{
    EXPECT_LT(demangling_bound("_Z5plainPKfPVihPeDn"), 4096u);
    EXPECT_LT(demangling_bound("_Z10merge_sortIiLi256ELi15EEvPT_i"), 8192u);
    EXPECT_EQ(demangling_bound("_ZN1acvT_I1aIiiEEE"), std::uint64_t{1} << 40);
    for (const std::string& bomb : bombs()) EXPECT_EQ(demangling_bound(bomb), std::uint64_t{1} << 40);
    const std::string pack = "_Z1fIJ" + std::string(900, 'i') + "EEvDp1aIT_1bIT_EE";
    EXPECT_GT(demangling_bound(pack), demangle(pack).size());
}

TEST(read_in_children, continues_after_the_name_that_killed_it)
{
    const auto descriptors = open_descriptors();
    const std::set<pid_t> before_it = children();
    testing::internal::CaptureStderr();
    EXPECT_EQ(read_in_children({"a", "abort", "b", "throw", "memory", "loop", "c", "abort"}, read),
              (hostile_names{"a read", "abort", "b read", "throw", "memory", "loop", "c read", "abort"}));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(children(), before_it) << "a child is left";
    EXPECT_EQ(open_descriptors(), descriptors);
}

TEST(read_in_children, gives_up_after_16_deaths)
{
    hostile_names all(15, "abort");
    all.push_back("a");
    EXPECT_EQ(read_in_children(all, read).back(), "a read");
    all.insert(all.begin(), "abort");
    EXPECT_EQ(read_in_children(all, read), all);
}

TEST(read_in_children, limits_the_size_of_a_result)
{
    EXPECT_EQ(read_in_children({"long"}, read).front(), std::string(65536, 'x'));
}

TEST(read_in_children, stops_at_an_interrupt)
{
    EXPECT_EQ(read_in_children({"a", "interrupt", "b"}, read), (hostile_names{"a read", "interrupt", "b"}));
}

[[noreturn]] void exit_with_whether_it_works()
{
    const hostile_names expected{"a read", "abort", "b read"};
    ::_exit(read_in_children({"a", "abort", "b"}, read) == expected ? 0 : 1);
}

TEST(read_in_children, works_without_standard_streams)
{
    const auto without = [](const std::vector<int>& descriptors) {
        for (const int descriptor : descriptors) ::close(descriptor);
        exit_with_whether_it_works();
    };
    const std::vector<int> cases[] = {{0}, {1}, {0, 1}, {0, 1, 2}};
    for (const std::vector<int>& closed : cases) EXPECT_EXIT(without(closed), testing::ExitedWithCode(0), "");
}

TEST(read_in_children, works_if_children_are_not_waited_for)
{
    const auto without_waiting = [] {
        std::signal(SIGCHLD, SIG_IGN);
        exit_with_whether_it_works();
    };
    EXPECT_EXIT(without_waiting(), testing::ExitedWithCode(0), "");
}

TEST(read_in_children, returns_the_names_unchanged_if_no_child_can_be_started)
{
    const auto limited = [](decltype(RLIMIT_NPROC) resource) {
        if (::getuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
        const rlimit none{0, 0};
        ::setrlimit(resource, &none);
        const hostile_names all{"a", "b"};
        ::_exit(read_in_children(all, read) == all && demangle("_Z5plainPi") == "plain(int*)" ? 0 : 1);
    };
    EXPECT_EXIT(limited(RLIMIT_NPROC), testing::ExitedWithCode(0), "");   // fork fails
    EXPECT_EXIT(limited(RLIMIT_NOFILE), testing::ExitedWithCode(0), "");  // pipe fails
}

}  // namespace
}  // namespace launchbox
