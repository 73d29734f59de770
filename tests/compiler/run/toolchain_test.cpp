// Where nvcc is searched for, with scripts in its place.
#include "compiler/run/toolchain.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "support/error.hpp"
#include "support/files/files.hpp"

using namespace launchbox;
namespace fs = std::filesystem;

namespace {

/// Sets a variable of the environment until it goes out of scope; null unsets it.
class environment_variable {
public:
    environment_variable(const char* name, const char* value) : name_(name)
    {
        if (const char* old = std::getenv(name)) old_ = old;
        set(value);
    }
    ~environment_variable() { set(old_ ? old_->c_str() : nullptr); }
    environment_variable(const environment_variable&) = delete;
    environment_variable& operator=(const environment_variable&) = delete;

private:
    void set(const char* value) const
    {
        if (value != nullptr)
            ::setenv(name_, value, 1);
        else
            ::unsetenv(name_);
    }
    const char* name_;
    std::optional<std::string> old_;
};

// Makes the folder of a toolkit whose nvcc prints this version.
std::string make_toolkit(const fs::path& folder, const std::string& version)
{
    fs::create_directories(folder / "bin");
    const fs::path nvcc = folder / "bin" / "nvcc";
    write_file_atomically(nvcc, "#!/bin/sh\necho 'Cuda compilation tools, release 1.2, V" + version + "'\n");
    fs::permissions(nvcc, fs::perms::owner_all);
    return folder.string();
}

class Toolchain : public testing::Test {
protected:
    temporary_directory folder_;
    environment_variable home_{"CUDA_HOME", nullptr}, path_{"CUDA_PATH", nullptr};
    const std::string first_ = make_toolkit(folder_.path() / "first", "1.2.3");
    const std::string second_ = make_toolkit(folder_.path() / "second", "4.5.6");
};

TEST_F(Toolchain, UsesTheRequestedCompilerFirst)
{
    const environment_variable home("CUDA_HOME", second_.c_str());
    for (const std::string& requested : {first_, first_ + "/", first_ + "/bin", first_ + "/bin/nvcc"}) {
        const toolchain tools = find_toolchain(requested);
        EXPECT_EQ(tools.version, "1.2.3") << requested;
        EXPECT_EQ(tools.found_by, "--nvcc");
        EXPECT_EQ(tools.nvcc, fs::canonical(first_ + "/bin/nvcc"));
    }
}

TEST_F(Toolchain, SearchesTheEnvironmentInOrder)
{
    const environment_variable search("PATH", (second_ + "/bin:/usr/bin:/bin").c_str());
    EXPECT_EQ(find_toolchain().found_by, "PATH");
    EXPECT_EQ(find_toolchain().version, "4.5.6");
    const environment_variable path("CUDA_PATH", first_.c_str());
    EXPECT_EQ(find_toolchain().found_by, "CUDA_PATH");
    const environment_variable home("CUDA_HOME", second_.c_str());
    EXPECT_EQ(find_toolchain().found_by, "CUDA_HOME");
}

TEST_F(Toolchain, SkipsAVariableWithoutACompiler)
{
    const environment_variable home("CUDA_HOME", "/no/such/folder");
    const environment_variable search("PATH", (first_ + "/bin:/usr/bin:/bin").c_str());
    EXPECT_EQ(find_toolchain().version, "1.2.3");
}

TEST_F(Toolchain, FollowsALinkToTheToolkit)
{
    const fs::path link = folder_.path() / "links" / "nvcc";
    fs::create_directory(link.parent_path());
    fs::create_symlink(first_ + "/bin/nvcc", link);
    EXPECT_EQ(find_toolchain(link.string()).nvcc, fs::canonical(first_ + "/bin/nvcc"));
}

TEST_F(Toolchain, ReportsMistakesInTheRequest)
{
    write_file_atomically(folder_.path() / "text", "no program");
    for (const std::string& requested :
         {std::string("/no/such/nvcc"), folder_.path().string(), (folder_.path() / "text").string(),
          std::string("/bin/true"), std::string("no-such-program")}) {
        try {
            (void)find_toolchain(requested);
            ADD_FAILURE() << requested;
        } catch (const error& wrong) {
            EXPECT_EQ(wrong.status(), exit_status::bad_input);
            EXPECT_NE(std::string(wrong.what()).find(requested), std::string::npos);
            EXPECT_FALSE(wrong.hint().empty());
        }
    }
}

TEST_F(Toolchain, SaysHowToInstallACompiler)
{
    const environment_variable search("PATH", "/usr/bin:/bin");
    try {
        // The machine may have a compiler in one of the two places that do not depend on variables.
        EXPECT_TRUE(find_toolchain().found_by == "default" || find_toolchain().found_by == "checkout");
    } catch (const error& none) {
        EXPECT_EQ(none.status(), exit_status::missing);
        EXPECT_NE(none.hint().find("install"), std::string::npos);
    }
}

}  // namespace
