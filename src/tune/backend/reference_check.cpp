// SPDX-License-Identifier: Apache-2.0
#include "tune/backend/reference_check.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <set>

#include "support/error.hpp"
#include "support/files/mapped_file.hpp"
#include "support/process/command_words.hpp"
#include "tune/worker/buffers.hpp"
#include "tune/worker/compare/reference_content.hpp"
#include "tune/worker/gpu_buffers.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

// The bits of an element without its sign, and the bits of infinity: larger ones are NaN.
template <class Bits>
std::size_t count_above(std::string_view bytes, Bits infinity, std::size_t& first)
{
    constexpr Bits magnitude = static_cast<Bits>(~Bits{0}) >> 1;
    std::size_t found = 0;
    for (std::size_t at = 0; at + sizeof(Bits) <= bytes.size(); at += sizeof(Bits)) {
        Bits bits{};
        std::memcpy(&bits, bytes.data() + at, sizeof bits);
        if ((bits & magnitude) > infinity && found++ == 0) first = at / sizeof(Bits);
    }
    return found;
}

void must_be_there(const tune_spec& spec, const std::string& name)
{
    std::error_code failure;
    if (!fs::is_regular_file(fs::path(spec.folder) / name, failure))
        throw error(spec.file + ": there is no file " + name, "names are relative to the folder of the spec");
}

void check_tolerance(const tune_spec& spec, const std::vector<task_argument>& arguments)
{
    if (spec.verify.absolute == 0 && spec.verify.relative == 0) return;
    for (const task_argument& argument : arguments)
        if (argument.role != argument_role::input && !argument.scalar &&
            element_type_of(argument.type).what == element_type::kind::opaque)
            throw error(
                fmt::format("{}: [verify] has a tolerance, and the output {} is {}, which is compared bit by bit",
                            spec.file, argument.name, argument.type),
                "use the type of its components, such as float for float4, and count those");
}

const task_argument* output_of(const std::vector<task_argument>& arguments, const std::string& name)
{
    for (const task_argument& argument : arguments)
        if (argument.role != argument_role::input && (name.empty() || argument.name == name)) return &argument;
    return nullptr;
}

}  // namespace

std::size_t count_nan(const element_type& type, std::string_view bytes, std::size_t& first)
{
    switch (type.what) {
        case element_type::kind::half:
            return count_above<std::uint16_t>(bytes, 0x7c00, first);
        case element_type::kind::bfloat16:
            return count_above<std::uint16_t>(bytes, 0x7f80, first);
        case element_type::kind::floating:
            return type.bytes == 4 ? count_above<std::uint32_t>(bytes, 0x7f800000, first)
                                   : count_above<std::uint64_t>(bytes, 0x7ff0000000000000, first);
        default:
            return 0;
    }
}

std::vector<std::string> check_files(const tune_spec& spec, const std::vector<checked_workload>& workloads)
{
    std::vector<std::string> notes;
    if (spec.verify.against != verification::source::nothing && !workloads.empty() &&
        output_of(workloads.front().arguments, {}) == nullptr)
        notes.push_back(
            "no argument is an output: nothing is compared, and only the baseline can win; write role = \"output\" or "
            "\"in_out\" for arguments that the kernel writes");
    std::set<std::string> seen;  // a name without workload values names a single file
    for (const checked_workload& on : workloads) {
        check_tolerance(spec, on.arguments);
        for (task_argument argument : on.arguments) {
            if (argument.file.empty()) continue;
            must_be_there(spec, argument.file);
            argument.file = (fs::path(spec.folder) / argument.file).string();
            argument_filler{argument};  // throws if it does not fit
        }
        for (const auto& [name, pattern] : spec.verify.files) {
            const std::string file = filled_in(pattern, spec.workloads[on.workload].values);
            must_be_there(spec, file);
            const task_argument* output = output_of(on.arguments, name);
            if (output == nullptr) continue;
            const std::string path = (fs::path(spec.folder) / file).string();
            const mapped_file mapped(path);
            const std::string_view elements = reference_elements(mapped.bytes(), path, *output);
            std::size_t first = 0;
            if (!seen.insert(file).second) continue;
            reference_content content(element_type_of(output->type));
            content.add(elements);
            if (const std::string weakness = content.weakness(output->name); !weakness.empty())
                notes.push_back(file + ": " + weakness);
            if (const std::size_t found = count_nan(element_type_of(output->type), elements, first); found > 0)
                notes.push_back(fmt::format("{}: {} of {} elements are NaN, the first is [{}]; only NaN equals them",
                                            file, found, output->count, first));
        }
    }
    return notes;
}

}  // namespace launchbox
