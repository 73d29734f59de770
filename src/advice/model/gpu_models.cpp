// SPDX-License-Identifier: Apache-2.0
#include "advice/model/gpu_models.hpp"

#include <array>
#include <string>

namespace launchbox {

namespace {

constexpr compute_capability of(int major, int minor)
{
    return {.major = major, .minor = minor};
}

constexpr std::array<gpu_model, 34> models{{
    {"T4", of(7, 5), 40},
    {"RTX 2080 Ti", of(7, 5), 68},
    {"Quadro RTX 8000", of(7, 5), 72},
    {"A100", of(8, 0), 108},
    {"A30", of(8, 0), 56},
    {"A10", of(8, 6), 72},
    {"A40", of(8, 6), 84},
    {"RTX A6000", of(8, 6), 84},
    {"RTX 3060", of(8, 6), 28},
    {"RTX 3070", of(8, 6), 46},
    {"RTX 3080", of(8, 6), 68},
    {"RTX 3090", of(8, 6), 82},
    {"RTX 3090 Ti", of(8, 6), 84},
    {"Jetson AGX Orin", of(8, 7), 16},
    {"L4", of(8, 9), 58},
    {"L40", of(8, 9), 142},
    {"L40S", of(8, 9), 142},
    {"RTX 4060", of(8, 9), 24},
    {"RTX 4070", of(8, 9), 46},
    {"RTX 4080", of(8, 9), 76},
    {"RTX 4090", of(8, 9), 128},
    {"RTX 6000 Ada", of(8, 9), 142},
    {"H100 PCIe", of(9, 0), 114},
    {"H100", of(9, 0), 132},
    {"H200", of(9, 0), 132},
    {"GH200", of(9, 0), 132},
    {"B200", of(10, 0), 148},
    {"GB200", of(10, 0), 148},
    {"RTX 5070", of(12, 0), 48},
    {"RTX 5070 Ti", of(12, 0), 70},
    {"RTX 5080", of(12, 0), 84},
    {"RTX 5090", of(12, 0), 170},
    {"RTX PRO 6000", of(12, 0), 188},
    {"GB10", of(12, 1), 48},
}};

std::string bare(std::string_view name)
{
    std::string text;
    for (const char c : name)
        if (c >= 'A' && c <= 'Z')
            text += static_cast<char>(c - 'A' + 'a');
        else if (c != ' ' && c != '-' && c != '_')
            text += c;
    return text;
}

}  // namespace

std::span<const gpu_model> gpu_models()
{
    return models;
}

std::optional<gpu_model> find_gpu_model(std::string_view name)
{
    std::string wanted = bare(name);
    for (const std::string_view beginning : {"nvidia", "geforce", "tesla"})
        if (wanted.starts_with(beginning)) wanted.erase(0, beginning.size());
    for (const gpu_model& model : models)
        if (bare(model.name) == wanted) return model;
    return std::nullopt;
}

}  // namespace launchbox
