// Compiles and links CUDA sources for a test, and finds kernels in the result by the names of their bodies.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "image/binary.hpp"
#include "image/names/demangle.hpp"
#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {

/// "staged" for the kernel of that body, "staged 1" for its second size class; "probe"; for any other kernel its name
/// without arguments.
inline std::string nickname(const std::string& mangled)
{
    std::string name = demangle(mangled);
    if (name.starts_with("void ")) name.erase(0, 5);
    const std::string tuned = "launchbox::tuned<";  // body, number of the unit, size class
    if (name.starts_with("launchbox::detail::architecture_probe<")) return "probe";
    if (!name.starts_with(tuned)) return name.substr(0, name.find_first_of("<("));
    const std::string body = name.substr(tuned.size(), name.find(',') - tuned.size());
    const std::size_t unit = name.find(", ") + 2;
    const int size_class = std::stoi(name.substr(name.find(", ", unit) + 2));
    return size_class == 0 ? body : body + " " + std::to_string(size_class);
}

/// One compiled image with its kernels, by `nickname`.
struct image {
    std::string kind, architecture;
    bool relocatable = false;
    std::multimap<std::string, kernel_info> kernels;

    const kernel_info& operator[](const std::string& wanted) const
    {
        static const kernel_info none;
        const auto found = kernels.find(wanted);
        if (found == kernels.end()) ADD_FAILURE() << architecture << ": no kernel " << wanted;
        return found == kernels.end() ? none : found->second;
    }
};

class workshop {
public:
    [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

    void write(const std::string& name, const std::string& text) const { write_file_atomically(path(name), text); }

    /// Runs nvcc with these arguments in the workshop's folder; any output is a failure.
    void nvcc(const std::vector<std::string>& arguments, const std::string& compiler = LAUNCHBOX_NVCC) const
    {
        std::vector<std::string> command{compiler,
                                         "-ccbin",
                                         LAUNCHBOX_CXX,
                                         "-std=c++20",
                                         "-I" LAUNCHBOX_SOURCE_DIR "/include",
                                         "-I" LAUNCHBOX_SOURCE_DIR "/tests/include/launch_box"};
        command.insert(command.end(), arguments.begin(), arguments.end());
        const subprocess_result result = run(command, {.directory = folder_.path(), .environment = {}});
        EXPECT_EQ(result.exit_code, 0) << result.output;
        EXPECT_EQ(result.output, "");
    }

    /// An nvcc that can optimise while linking. This needs a library that the toolkit from Python packages has in
    /// another folder than the one nvlink searches; empty if it is missing. Not through the compile cache of the tests,
    /// which starts nvcc in its original folder.
    [[nodiscard]] std::string nvcc_with_nvvm() const
    {
        namespace fs = std::filesystem;
        const fs::path toolkit = fs::path(LAUNCHBOX_REAL_NVCC).parent_path().parent_path(), shadow = path("toolkit");
        if (fs::exists(toolkit / "nvvm/lib64/libnvvm.so")) return LAUNCHBOX_REAL_NVCC;
        if (!fs::exists(toolkit / "lib/libnvvm.so")) return "";
        fs::create_directories(shadow / "nvvm/lib64");
        fs::create_directories(shadow / "bin");
        for (const char* folder : {"", "bin", "nvvm"})
            for (const auto& entry : fs::directory_iterator(toolkit / folder))
                if (const fs::path link = shadow / folder / entry.path().filename(); !fs::exists(link))
                    fs::create_symlink(entry.path(), link);
        fs::create_symlink(toolkit / "lib/libnvvm.so", shadow / "nvvm/lib64/libnvvm.so");
        return shadow / "bin/nvcc";
    }

    [[nodiscard]] std::string bytes(const std::string& name) const
    {
        return std::filesystem::exists(path(name)) ? read_input(path(name)) : "";
    }

    /// The images that the driver can load, in file order.
    [[nodiscard]] std::vector<image> images(const std::string& name) const
    {
        const binary_contents contents = read_binary(bytes(name), name, {.wanted = {}, .hash_code = true});
        EXPECT_TRUE(contents.diagnostics.empty());
        std::vector<image> found;
        for (std::size_t i = 0; i < contents.images.size(); ++i) {
            const binary_image& from = contents.images[i];
            image& into = found.emplace_back();
            into.kind = from.kind;
            into.architecture = from.architecture;
            into.relocatable = from.relocatable;
            for (const kernel_info& kernel : contents.kernels[i]) into.kernels.emplace(nickname(kernel.name), kernel);
        }
        return found;
    }

private:
    temporary_directory folder_;
};

/// "-gencode=arch=compute_90,code=sm_90"
inline std::string code(const std::string& from, const std::string& to)
{
    return "-gencode=arch=compute_" + from + ",code=" + to;
}

#define SKIP_WITHOUT_NVCC() \
    if (!*LAUNCHBOX_NVCC) GTEST_SKIP() << "no nvcc here"

}  // namespace launchbox
