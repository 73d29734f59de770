// Flags of a build's command, in every spelling, translated for nvcc.
#include "compiler/run/build_flags.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/command_words.hpp"

namespace launchbox {
namespace {

using words = std::vector<std::string>;

words flags(const std::string& command, const std::filesystem::path& folder = "/p")
{
    return flags_of_command(command_words(command), folder);
}

TEST(build_flags, flags_that_only_the_build_needs_are_left_out)
{
    for (const char* command :
         {"nvcc -O3 -c k.cu -o k.o", "nvcc -O3 --compile k.cu --output-file k.o",
          "nvcc -O3 -c k.cu -o=k.o -MD -MF k.d -MT k.o", "nvcc -arch=sm_80 -O3 -c k.cu",
          "nvcc -gencode arch=compute_80,code=sm_80 -O3 k.cu", "nvcc -t 8 -O3 -c k.cu -keep",
          "ccache /usr/bin/nvcc -O3 -c k.cu", "nvcc -O3 -ptx k.cu", "env A=b nvcc -O3 -x=c++ -c k.cu",
          "nvcc -O3 k.cu -o k -Xlinker -rpath,$ORIGIN -Wl,-z,now -L/usr/lib -l cudart --linker-options=-x",
          "/bin/sh -c 'nvcc -O3 -c k.cu'", "bash -ec 'ccache nvcc -O3 -c k.cu'",
          "cmake -E env nvcc -O3 --generate-code=arch=compute_90,code=[sm_90] -c k.cu"})
        EXPECT_EQ(flags(command), words{"-O3"}) << command;
}

// A build on Windows has flags for Microsoft's compiler that no other compiler knows.
TEST(build_flags, flags_for_microsofts_compiler_are_left_out)
{
    for (const char* command :
         {R"(nvcc.exe -DN=64 -ccbin "C:\\VC\\bin" -Xcompiler "/EHsc /W3 /FdX.pdb" -c k.cu)",
          R"("C:\\CUDA\\bin\\nvcc.exe" -DN=64 -Xcompiler=" /Ob2 /MD" --compiler-bindir=C:/VC/bin -c k.cu)",
          R"(nvcc --compiler-options=/MD,/W3 -DN=64 -c k.cu)",
          R"(nvcc.exe -DN=64 -Xcompiler="-MD -Zi -Ob0 -Od /RTC1" -Xcompiler=-Fdout\,-FS -Xcompiler -EHsc,-GR -c k.cu)"})
        EXPECT_EQ(flags(command), words{"-DN=64"}) << command;
    EXPECT_EQ(flags("nvcc -Xcompiler -MD,-Ofast,-Wall k.cu"), (words{"-Xcompiler", "-MD,-Ofast,-Wall"}));
    EXPECT_EQ(flags("nvcc -Xcompiler -fPIC,-I/x -ccbin /usr/bin/g++ k.cu"),
              (words{"-Xcompiler", "-fPIC,-I/x", "-ccbin", "/usr/bin/g++"}));
}

TEST(build_flags, flags_of_a_second_command_are_ignored)
{
    for (const char* command : {"nvcc -DN=64 -c k.cu && nvcc -DN=32 -M k.cu", "nvcc -DN=64 -c k.cu ; touch -DX k.o",
                                ": && nvcc -DN=64 -c k.cu || exit -1", "cd /p && nvcc -DN=64 -c k.cu | tee -a log"})
        EXPECT_EQ(flags(command), words{"-DN=64"}) << command;
}

TEST(build_flags, flags_that_change_kernels_are_kept)
{
    EXPECT_EQ(flags("nvcc -dc k.cu"), words{"-rdc=true"});
    EXPECT_EQ(flags("nvcc --device-c k.cu"), words{"-rdc=true"});
    EXPECT_EQ(flags("nvcc -dw k.cu"), words{"-rdc=false"});
    EXPECT_EQ(flags("nvcc -rdc=true -c k.cu"), words{"-rdc=true"});
    EXPECT_EQ(flags("nvcc -rdc true -c k.cu"), (words{"-rdc", "true"}));
    EXPECT_EQ(flags("nvcc -dlto -c k.cu"), words{"-dlto"});
    EXPECT_EQ(flags("nvcc -gencode arch=compute_80,code=lto_80 -c k.cu"), words{"-dlto"});
    EXPECT_EQ(flags("nvcc -Xptxas --maxrregcount=32 -c k.cu"), (words{"-Xptxas", "--maxrregcount=32"}));
    EXPECT_EQ(flags("nvcc -Xptxas -O1,-v -maxrregcount 40 -c k.cu"),
              (words{"-Xptxas", "-O1,-v", "-maxrregcount", "40"}));
    EXPECT_EQ(flags("nvcc -Xcompiler -I../inc,-fPIC -Xcompiler=-isysteminc -c k.cu"),
              (words{"-Xcompiler", "-I/inc,-fPIC", "-Xcompiler=-isystem/p/inc"}));
    // The value of a flag is not a flag.
    EXPECT_EQ(flags("nvcc -Xcompiler -c -c k.cu"), (words{"-Xcompiler", "-c"}));
    EXPECT_EQ(flags("nvcc -D -c k.cu"), (words{"-D", "-c"}));
    EXPECT_EQ(flags("nvcc -Iinc -I ../x -isystem s -include=a.h -c k.cu"),
              (words{"-I/p/inc", "-I", "/x", "-isystem", "/p/s", "-include=a.h"}));
    EXPECT_EQ(flags("nvcc -x cu -c k.cpp"), (words{"-x", "cu"}));
    EXPECT_EQ(flags("nvcc -ccbin g++-12 -ccbin /usr/bin/g++ -c k.cu"),
              (words{"-ccbin", "g++-12", "-ccbin", "/usr/bin/g++"}));
}

TEST(build_flags, flags_of_clang_are_translated_to_nvcc)
{
    EXPECT_EQ(flags("clang++ -x cuda --cuda-gpu-arch=sm_80 -fgpu-rdc -std=gnu++17 -Iinc -O3 -Wall -c k.cu -o k.o"),
              (words{"-x", "cu", "-rdc=true", "-std=c++17", "-I/p/inc"}));
    EXPECT_EQ(flags("/usr/bin/clang++-17 -ffast-math -Xcuda-ptxas --maxrregcount=32 -c k.cu"),
              (words{"-use_fast_math", "-Xptxas", "--maxrregcount=32"}));
    EXPECT_EQ(flags("clang++ -x cuda -isystem/usr/x -includea.h -c k.cu"),
              (words{"-x", "cu", "-isystem", "/usr/x", "-include", "a.h"}));
}

// A file to be force-included is in the build's folder, or in a folder of -I.
TEST(build_flags, a_forced_include_is_searched_for_as_by_the_compiler)
{
    const temporary_directory folder;
    write_file_atomically(folder.path() / "here.h", "");
    EXPECT_EQ(flags("nvcc -include here.h --pre-include=elsewhere.h -c k.cu", folder.path()),
              (words{"-include", (folder.path() / "here.h").string(), "--pre-include=elsewhere.h"}));
}

TEST(build_flags, commands_of_programs_that_are_not_compilers_are_refused)
{
    for (const char* command : {"cl.exe /DN=64 /c k.cu", "hipcc -DN=64 -c k.cu", "nvc++ -cuda -gpu=cc80 -c k.cu",
                                "cmake -DN=64 -P k.cu.o.cmake", "/bin/sh build.sh -DN=64", "cmd.exe /C nvcc64 k.cu",
                                "amdclang++ -DN=64 -c k.cu", "clang++ -x hip -DN=64 -c k.cu", "clang++ -xhip -c k.cu",
                                "ccache clang++ --offload-arch=gfx90a -DN=64 -c k.cu"})
        EXPECT_THROW(flags(command), error) << command;
    EXPECT_EQ(flags("my-wrapper -DN=64 -c k.cu"), words{"-DN=64"});
}

TEST(build_flags, response_files_are_expanded)
{
    const temporary_directory folder;
    write_file_atomically(folder.path() / "a.rsp", "-DA=1\n\"-DB=x y\"\r\n@b.rsp\n");
    write_file_atomically(folder.path() / "b.rsp", "-rdc=true -I inc");
    write_file_atomically(folder.path() / "loop.rsp", "@loop.rsp");
    write_file_atomically(folder.path() / "empty.rsp", "");
    const words all{"-DA=1", "-DB=x y", "-rdc=true", "-I", "inc"};
    for (const words& given : {words{"@a.rsp"},
                               {"--options-file", "a.rsp"},
                               {"-optf", "a.rsp"},
                               {"-optf=a.rsp"},
                               {"--options-file=a.rsp"},
                               {"-optf", "empty.rsp,a.rsp"},
                               {"@empty.rsp", "@a.rsp"}})
        EXPECT_EQ(with_response_files(given, folder.path()), all) << given.front();
    EXPECT_EQ(with_response_files({"-Xptxas", "@a.rsp"}, folder.path()), (words{"-Xptxas", "@a.rsp"}));
    EXPECT_THROW(with_response_files({"@missing.rsp"}, folder.path()), error);
    EXPECT_THROW(with_response_files({"@loop.rsp"}, folder.path()), error);
}

TEST(build_flags, a_command_for_machine_code_has_one_source)
{
    EXPECT_EQ(for_machine_code({"-dc", "-O3"}), (words{"-rdc=true", "-O3"}));
    EXPECT_EQ(for_machine_code({"-dlto", "-dw"}), (words{"-rdc=true", "-rdc=false"}));
    EXPECT_EQ(for_machine_code({"-Xcompiler", "-dc"}), (words{"-Xcompiler", "-dc"}));
    EXPECT_TRUE(asks_for_link_time_optimization({"-O3", "-lto"}));
    EXPECT_FALSE(asks_for_link_time_optimization({"-rdc=true"}));
}

}  // namespace
}  // namespace launchbox
