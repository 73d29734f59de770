// Why a source did not compile: each error once, with the architectures that have it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/run/compile.hpp"

namespace launchbox {

class compile_errors {
public:
    explicit compile_errors(const toolchain& tools) : nvcc_version_(tools.version) {}

    /// Adds the result of one architecture, even if it compiled.
    void add(const compile_result& result);

    /// In order of appearance: "k.cu(3): ..." if each of several architectures has the error, else "sm_90: k.cu(3):
    /// ..." or "sm_90, sm_120: k.cu(3): ...". Texts that differ only in the architecture's name are merged: "k.ptx(26):
    /// ... not supported on .target 'sm_75, sm_80'".
    [[nodiscard]] std::vector<std::string> lines() const;

private:
    struct entry {
        std::string text;
        std::vector<std::string> architectures = {};
    };

    std::string nvcc_version_;
    std::size_t compiles_ = 0;
    std::vector<entry> entries_;
};

}  // namespace launchbox
