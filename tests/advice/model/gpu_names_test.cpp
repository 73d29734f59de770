// Names of GPUs as people, the driver and clouds write them.
#include "advice/model/gpu_models.hpp"

#include <gtest/gtest.h>
#include <launchbox/sm_limits.hpp>

#include <set>
#include <string>

namespace launchbox {
namespace {

// "20 15": index of the compute capability, and SMs; "?" for what the name does not determine; empty: no such GPU.
std::string meaning(const char* name)
{
    const named_gpus gpus = gpus_named(name);
    if (gpus.models.empty()) return "";
    const auto capability = gpus.capability();
    const auto sms = gpus.sms();
    return (capability ? std::to_string(capability->number()) : "?") + " " + (sms ? std::to_string(*sms) : "?");
}

TEST(gpu_names, are_recognised_as_people_write_them)
{
    struct row {
        const char *name, *meaning;
    };
    for (const auto& [name, wanted] :
         std::initializer_list<row>{{"GTX 480", "20 15"},
                                    {"gtx480", "20 15"},
                                    {"NVIDIA GeForce GTX 480", "20 15"},
                                    {"GeForce GTX 570", "20 15"},
                                    {"Tesla C2050", "20 14"},
                                    {"Quadro 6000", "20 14"},
                                    {"GTX 560 Ti", "21 8"},
                                    {"GTX 680", "30 8"},
                                    {"GRID K520", "30 8"},
                                    {"Jetson TK1", "32 1"},
                                    {"GTX Titan", "35 14"},
                                    {"GeForce GTX TITAN Black", "35 15"},
                                    {"Tesla K20Xm", "35 14"},
                                    {"K40", "35 15"},
                                    {"Tesla K80", "37 13"},
                                    {"GTX 750 Ti", "50 5"},
                                    {"970", "52 13"},
                                    {"GeForce GTX TITAN X", "52 24"},
                                    {"Tesla M60", "52 16"},
                                    {"Jetson Nano", "53 1"},
                                    {"Tesla P100-PCIE-16GB", "60 56"},
                                    {"P100-SXM2-16GB", "60 56"},
                                    {"1080", "61 20"},
                                    {"gtx1080ti", "61 28"},
                                    {"NVIDIA TITAN X (Pascal)", "61 28"},
                                    {"TITAN Xp", "61 30"},
                                    {"P4", "61 20"},
                                    {"GeForce GTX 1060 6GB", "61 10"},
                                    {"GeForce GTX 1060 3GB", "61 9"},
                                    {"GTX 1060 3 GB", "61 9"},
                                    {"GTX 1060", "61 10"},
                                    {"Quadro P4000", "61 14"},
                                    {"P4000", "61 14"},
                                    {"Jetson TX2", "62 2"},
                                    {"V100", "70 80"},
                                    {"V100-SXM2-16GB", "70 80"},
                                    {"Tesla V100-PCIE-32GB", "70 80"},
                                    {"Tesla V100S-PCIE-32GB", "70 80"},
                                    {"v100sxm2", "70 80"},
                                    {"TITAN V", "70 80"},
                                    {"Xavier", "72 8"},
                                    {"Jetson Xavier NX", "72 6"},
                                    {"T4", "75 40"},
                                    {"Tesla T4", "75 40"},
                                    {"RTX 2080 Ti", "75 68"},
                                    {"rtx-2080-ti", "75 68"},
                                    {"GeForce RTX 2060 SUPER", "75 34"},
                                    {"TITAN RTX", "75 72"},
                                    {"Quadro RTX 6000", "75 72"},
                                    {"NVIDIA A100-SXM4-80GB", "80 108"},
                                    {"NVIDIA A100 80GB PCIe", "80 108"},
                                    {"A100", "80 108"},
                                    {"A10G", "86 80"},
                                    {"NVIDIA RTX A6000", "86 84"},
                                    {"A6000", "86 84"},
                                    {"GeForce RTX 3080", "86 68"},
                                    {"RTX 3080 12GB", "86 70"},
                                    {"GeForce RTX 3060 Laptop GPU", "86 30"},
                                    {"RTX 3060 Mobile", "86 30"},
                                    {"Jetson AGX Orin", "87 16"},
                                    {"AGX Orin 32GB", "87 14"},
                                    {"jetson-agx-orin", "87 16"},
                                    {"agxorin", "87 16"},
                                    {"L40S", "89 142"},
                                    {"rtx4070tisuper", "89 66"},
                                    {"4090", "89 128"},
                                    {"GeForce RTX 4090 D", "89 114"},
                                    {"RTX 6000 Ada", "89 142"},
                                    {"NVIDIA RTX 6000 Ada Generation", "89 142"},
                                    {"H100", "90 132"},
                                    {"h100pcie", "90 114"},
                                    {"NVIDIA H100 PCIe", "90 114"},
                                    {"NVIDIA H100 80GB HBM3", "90 132"},
                                    {"H100 SXM5 80GB", "90 132"},
                                    {"H100 NVL", "90 132"},
                                    {"NVIDIA H200", "90 132"},
                                    {"NVIDIA GH200 480GB", "90 132"},
                                    {"B200", "100 148"},
                                    {"NVIDIA GB200", "100 152"},
                                    {"B300", "103 148"},
                                    {"Jetson AGX Thor", "110 20"},
                                    {"NVIDIA Thor", "110 20"},
                                    {"RTX 5090", "120 170"},
                                    {"RTX PRO 6000", "120 188"},
                                    {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "120 188"},
                                    {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "120 188"},
                                    {"GB10", "121 48"},
                                    {"NVIDIA GB10", "121 48"}})
        EXPECT_EQ(meaning(name), wanted) << name;
}

// The architecture may be certain where the number of SMs is not.
TEST(gpu_names, with_words_left_out_give_what_is_certain)
{
    EXPECT_EQ(meaning("Orin"), "87 ?");
    EXPECT_EQ(meaning("Orin Nano"), "87 ?");
    EXPECT_EQ(meaning("A100-SXM-64GB"), "80 ?");  // of one supercomputer, with more SMs
    EXPECT_EQ(meaning("Titan X"), "? ?");
    EXPECT_EQ(meaning("RTX 6000"), "? ?");
    EXPECT_EQ(meaning("4000"), "? ?");
}

TEST(gpu_names, that_are_unknown)
{
    for (const char* name : {"", " ", "-", "RTX 9090", "GTX 4090", "RTX 1080", "Radeon VII", "RTX 4090 Super", "MI300X",
                             "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "GeForce RTX 2080 with Max-Q Design", "nvidia", "ti"})
        EXPECT_EQ(meaning(name), name == std::string_view("ti") ? "? ?" : "") << name;
    EXPECT_EQ(meaning(std::string(100'000, 'x').c_str()), "");
    EXPECT_EQ(meaning(("4090" + std::string(100'000, 'd')).c_str()), "");
}

TEST(gpu_names, each_model_by_its_shown_name_and_other_spellings)
{
    std::set<std::string> names;
    compute_capability before{};
    for (const gpu_model& model : gpu_models()) {
        const std::string name = name_of(model);
        EXPECT_TRUE(names.insert(name).second) << name;
        EXPECT_NE(find_sm_limits(model.capability), nullptr) << name;
        EXPECT_GE(model.capability, before) << name;
        before = model.capability;
        std::string dashed = name, lower = name;
        for (char& c : dashed)
            if (c == ' ') c = '-';
        for (char& c : lower)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        for (const std::string& text : {name, "NVIDIA " + name, "NVIDIA GeForce " + name, dashed, lower}) {
            const named_gpus gpus = gpus_named(text);
            ASSERT_EQ(gpus.models.size(), 1u) << text;
            EXPECT_EQ(*gpus.models.front(), model) << text;
            EXPECT_TRUE(gpus.whole) << text;
        }
    }
    EXPECT_GT(names.size(), 200u);
}

}  // namespace
}  // namespace launchbox
