// Compiles kept in files: what is found again, what must not be, and the effects of damage and of other processes.
#include "compiler/run/compile_cache.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "compiler/run/unit_compiler.hpp"
#include "nvcc_test.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"

using namespace launchbox;
namespace fs = std::filesystem;

namespace {

const std::string key = "0123456789abcdef0123456789abcdef";

nvcc_output some_output(const std::string& cubin = std::string("\x7f"
                                                               "ELF\0\n",
                                                               6))
{
    return {.exit_code = 0, .made = true, .log = "ptxas info\n", .cubin = cubin, .ptx_outline = ".version 9.0\n"};
}

TEST(CompileCache, FindsWhatItStored)
{
    const temporary_directory folder;
    const compile_cache cache(folder.path() / "new" / "folder");
    EXPECT_FALSE(cache.find(key));
    cache.store(key, some_output());
    EXPECT_EQ(cache.find(key), some_output());
    EXPECT_FALSE(cache.find("1" + key.substr(1)));
    cache.store(key, some_output("other"));
    EXPECT_EQ(cache.find(key), some_output("other"));
}

TEST(CompileCache, FailuresAreNotStored)
{
    const temporary_directory folder;
    const compile_cache cache(folder.path());
    nvcc_output failed = some_output();
    failed.exit_code = 1;
    cache.store(key, failed);
    failed = some_output();
    failed.made = false;
    cache.store(key, failed);
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(CompileCache, AnyDamageIsAMiss)
{
    const temporary_directory folder;
    const compile_cache cache(folder.path());
    cache.store(key, some_output());
    const std::string whole = read_input(cache.file_of(key).string());
    const auto found_in = [&](const std::string& text) {
        std::ofstream(cache.file_of(key), std::ios::binary) << text;
        return cache.find(key);
    };
    ASSERT_EQ(found_in(whole), some_output());
    for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(found_in(whole.substr(0, size))) << size;
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const int flip : {1, 32, 127}) {
            std::string damaged = whole;
            damaged[at] = static_cast<char>(damaged[at] ^ flip);
            EXPECT_FALSE(found_in(damaged)) << at;
        }
    EXPECT_FALSE(found_in(whole + "x"));

    // Right checksum, but wrong sizes; and an entry under another key.
    const std::size_t sizes = whole.find('\n') - std::string("11 6 13").size();
    ASSERT_EQ(whole.substr(sizes, 7), "11 6 13") << whole;
    for (const std::string wrong :
         {"11 6 12", "11 6 14", "30 0 1", "18446744073709551605 6 29", "-1 6 25", "11 6", "11 6 13 0", "11 6 x"})
        EXPECT_FALSE(found_in(std::string(whole).replace(sizes, 7, wrong))) << wrong;
    const std::string other = "f" + key.substr(1);
    fs::create_directories(cache.file_of(other).parent_path());
    write_file_atomically(cache.file_of(other), whole);
    EXPECT_FALSE(cache.find(other));

    cache.store(key, some_output());
    EXPECT_EQ(cache.find(key), some_output());
}

TEST(CompileCache, AnUnusableFolderIsNoError)
{
    const temporary_directory folder;
    write_file_atomically(folder.path() / "file", "");
    const compile_cache in_a_file(folder.path() / "file");
    in_a_file.store(key, some_output());
    EXPECT_FALSE(in_a_file.find(key));
    const compile_cache cache(folder.path());
    fs::create_directories(cache.file_of(key));  // a folder where the entry should be
    cache.store(key, some_output());
    EXPECT_FALSE(cache.find(key));
    const compile_cache none({});
    EXPECT_FALSE(none.enabled());
    none.store(key, some_output());
    EXPECT_FALSE(none.find(key));
    EXPECT_FALSE(fs::exists("compiles"));
}

TEST(CompileCache, UnusedEntriesAreRemoved)
{
    const temporary_directory folder;
    const compile_cache cache(folder.path());
    const std::string start = key.substr(0, 2), used = start + "1", unused = start + "2", fresh = start + "3";
    const auto age = [&](const std::string& name, int days) {
        fs::last_write_time(cache.file_of(name), fs::file_time_type::clock::now() - std::chrono::hours(24 * days));
    };
    cache.store(used, some_output());
    cache.store(unused, some_output());
    cache.store(fresh, some_output());
    age(used, 31), age(unused, 31), age(fresh, 29);
    EXPECT_TRUE(cache.find(used));  // counts as a use
    cache.store(key, some_output());
    EXPECT_TRUE(cache.find(used));
    EXPECT_TRUE(cache.find(fresh));
    EXPECT_FALSE(cache.find(unused));
}

TEST(CompileCache, ProcessesCanShareIt)
{
    const temporary_directory folder;
    const compile_cache cache(folder.path());
    const nvcc_output first = some_output(std::string(100'000, 'a')), second = some_output(std::string(50'000, 'b'));
    const auto write_and_read = [&](const nvcc_output& mine) {
        bool good = true;
        for (int round = 0; round < 40; ++round) {
            cache.store(key, mine);
            const std::optional<nvcc_output> found = cache.find(key);
            good &= found == first || found == second;
        }
        return good;
    };
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(write_and_read(second) ? 0 : 1);
    EXPECT_TRUE(write_and_read(first));
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

class scoped_variable {
public:
    scoped_variable(const char* name, const char* value) : name_(name)
    {
        if (const char* before = std::getenv(name)) before_ = before;
        value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
    }
    ~scoped_variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
    scoped_variable(const scoped_variable&) = delete;
    scoped_variable& operator=(const scoped_variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

TEST(CompileCache, ItsFolderComesFromTheEnvironment)
{
    const scoped_variable home("HOME", "/home/somebody");
    {
        const scoped_variable named("LAUNCHBOX_CACHE", "here"), user("XDG_CACHE_HOME", "/cache");
        EXPECT_EQ(default_cache_folder(), "here");
    }
    const scoped_variable named("LAUNCHBOX_CACHE", nullptr);
    {
        const scoped_variable user("XDG_CACHE_HOME", "/cache");
        EXPECT_EQ(default_cache_folder(), "/cache/launchbox");
    }
    const scoped_variable user("XDG_CACHE_HOME", nullptr);
    EXPECT_EQ(default_cache_folder(), "/home/somebody/.cache/launchbox");
    const scoped_variable homeless("HOME", nullptr);
    EXPECT_EQ(default_cache_folder(), "");
}

TEST(CompileCache, TheLeastRecentlyUsedEntryIsRemovedWhenItIsFull)
{
    const temporary_directory folder;
    const std::string start = key.substr(0, 2), content(1000, 'x');
    const scoped_variable limit("LAUNCHBOX_CACHE_MAX_SIZE", "1,024K");  // 4,096 bytes in each of the 256 folders
    const compile_cache cache(folder.path());
    for (int i = 0; i < 6; ++i) {
        cache.store(start + std::to_string(i), some_output(content));
        const auto entry = cache.file_of(start + std::to_string(i));
        fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
        if (i == 2) {
            EXPECT_TRUE(cache.find(start + "0"));  // a use, so that 1 is now the least recently used
        }
    }
    cache.store(key, some_output(content));
    for (const char* name : {"0", "5"}) EXPECT_TRUE(cache.find(start + name)) << name;
    for (const char* name : {"1", "2", "3", "4"}) EXPECT_FALSE(cache.find(start + name)) << name;
    EXPECT_TRUE(cache.find(key));
}

TEST(CompileCache, AnEntryLargerThanItsSubfolderIsKeptUntilTheNext)
{
    const temporary_directory folder;
    const scoped_variable limit("LAUNCHBOX_CACHE_MAX_SIZE", "1K");
    const compile_cache cache(folder.path());
    cache.store(key, some_output());
    EXPECT_TRUE(cache.find(key));
    fs::last_write_time(cache.file_of(key), fs::file_time_type::clock::now() - std::chrono::hours(1));
    cache.store(key.substr(0, 2) + "1", some_output());
    EXPECT_FALSE(cache.find(key));
}

TEST(CompileCache, ItsSizeComesFromTheEnvironment)
{
    const auto size = [](const char* text) {
        const scoped_variable limit("LAUNCHBOX_CACHE_MAX_SIZE", text);
        return cache_max_bytes();
    };
    EXPECT_EQ(size(nullptr), std::uintmax_t{10} << 30);
    EXPECT_EQ(size(""), std::uintmax_t{10} << 30);
    EXPECT_EQ(size("20G"), std::uintmax_t{20} << 30);
    EXPECT_EQ(size("0"), std::numeric_limits<std::uintmax_t>::max());
    for (const char* wrong : {"-1G", "ten", "5 apples", "1e9"}) EXPECT_THROW(size(wrong), error) << wrong;
    const scoped_variable limit("LAUNCHBOX_CACHE_MAX_SIZE", "ten");
    EXPECT_FALSE(compile_cache({}).enabled());  // a disabled cache does not read its size
}

// With the real nvcc: which changes make it a different compile.
class CachedCompile : public nvcc_test {
protected:
    void SetUp() override
    {
        nvcc_test::SetUp();
        if (IsSkipped()) return;
        write_file_atomically(folder_.path() / "header.cuh", "#define VALUE 1\n");
        write_file_atomically(source(),
                              "#include \"header.cuh\"\nextern \"C\" __global__ void k(int* p) { *p = VALUE; }\n");
    }

    [[nodiscard]] std::string source() const { return (folder_.path() / "k.cu").string(); }

    // Whether the compile was found in the cache; its output must be the same as without a cache.
    bool found(const std::string& forced_include = {}, bool only_ptx = false, const std::string& ptxas = "13.0",
               compute_capability architecture = {9, 0}, const std::vector<std::string>& flags = {})
    {
        const compile_cache cache(folder_.path() / "cache");
        unit_compiler unit(tools_, ptxas, cache, {.source = source(), .architecture = architecture, .flags = flags});
        output_ = unit.compile(forced_include, only_ptx);
        EXPECT_EQ(unit.compiles() + unit.from_cache(), 1u);
        return unit.from_cache() == 1;
    }

    nvcc_output output_;
};

TEST_F(CachedCompile, AnEqualCompileIsFoundWithEqualOutput)
{
    EXPECT_FALSE(found());
    const nvcc_output first = output_;
    EXPECT_TRUE(first.succeeded()) << first.log;
    EXPECT_FALSE(first.cubin.empty());
    EXPECT_TRUE(found());
    EXPECT_EQ(output_, first);
}

// ptxas compiles the same PTX only once, whatever the source.
TEST_F(CachedCompile, AssembledPtxIsFoundByItsTextAndKernel)
{
    const compile_cache cache(folder_.path() / "cache");
    unit_compiler unit(tools_, "13.0", cache, {.source = source(), .architecture = {9, 0}, .keep_ptx = true});
    const std::string ptx = unit.compile({}, false).ptx;
    const std::size_t entry = ptx.find(".entry ") + 7;
    ASSERT_GT(entry, 7u) << ptx;
    const std::string kernel = ptx.substr(entry, ptx.find('(', entry) - entry);
    const nvcc_output first = unit.assemble(ptx, kernel);
    EXPECT_TRUE(first.succeeded()) << first.log;
    EXPECT_FALSE(first.cubin.empty());
    tools_.nvcc = folder_.path() / "no_nvcc";
    EXPECT_EQ(unit.assemble(ptx, kernel), first);
    const auto is_missed = [&](const std::string& text, const std::string& name) {
        try {
            return !unit.assemble(text, name).succeeded();
        } catch (const error&) {
            return true;
        }
    };
    EXPECT_TRUE(is_missed(ptx + "// other text\n", kernel));
    EXPECT_TRUE(is_missed(ptx, kernel + "_"));
}

TEST_F(CachedCompile, EveryInputThatCanChangeTheOutputIsPartOfTheKey)
{
    EXPECT_FALSE(found());
    EXPECT_FALSE(found("#define UNUSED\n"));
    EXPECT_FALSE(found("#define UNUSED 1\n"));
    EXPECT_FALSE(found({}, true));
    EXPECT_FALSE(found({}, false, "13.1"));
    EXPECT_FALSE(found({}, false, "13.0", {8, 0}));
    EXPECT_FALSE(found({}, false, "13.0", {9, 0}, {"-maxrregcount=32"}));
    EXPECT_FALSE(found({}, false, "13.0", {9, 0}, {"-Xptxas", "-O1"}));
    {
        const scoped_variable appended("NVCC_APPEND_FLAGS", "-Xptxas -O2");
        EXPECT_FALSE(found());
    }
    write_file_atomically(folder_.path() / "options", "-Xptxas -O1");
    const std::vector<std::string> option_file{"-optf", (folder_.path() / "options").string()};
    EXPECT_FALSE(found({}, false, "13.0", {9, 0}, option_file));
    write_file_atomically(folder_.path() / "options", "-Xptxas -O0");
    EXPECT_FALSE(found({}, false, "13.0", {9, 0}, option_file));
    tools_.version += "x";
    EXPECT_FALSE(found());
    tools_.version.pop_back();
    write_file_atomically(folder_.path() / "header.cuh", "#define VALUE 2\n");
    EXPECT_FALSE(found());
    write_file_atomically(folder_.path() / "header.cuh", "#define VALUE 1\n");
    EXPECT_TRUE(found());  // as at the beginning
}

TEST_F(CachedCompile, ADamagedEntryIsCompiledAgainAndReplaced)
{
    EXPECT_FALSE(found());
    const nvcc_output first = output_;
    std::size_t entries = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_.path() / "cache")) {
        if (!entry.is_regular_file()) continue;
        ++entries;
        std::fstream(entry.path(), std::ios::in | std::ios::out | std::ios::binary).seekp(200).put('#');
    }
    EXPECT_EQ(entries, 1u);
    EXPECT_FALSE(found());
    EXPECT_EQ(output_.cubin, first.cubin);  // the log is not compared: it contains ptxas' time
    EXPECT_EQ(output_.ptx_outline, first.ptx_outline);
    EXPECT_TRUE(found());
}

TEST_F(CachedCompile, AFailedCompileIsTriedAgain)
{
    EXPECT_FALSE(found("#error no\n"));
    EXPECT_FALSE(output_.succeeded());
    EXPECT_FALSE(found("#error no\n"));
    write_file_atomically(source(), "#include \"none.cuh\"\n");
    EXPECT_FALSE(found());
    EXPECT_NE(output_.log.find("none.cuh"), std::string::npos);
}

}  // namespace
