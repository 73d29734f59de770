// KernelSpecification, ReferenceArguments, Search and Budget of a T1 problem.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/command_words.hpp"
#include "support/text/terminal.hpp"
#include "support/text/toml_text.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/t1/t1_reader.hpp"

namespace launchbox::t1 {

namespace {

const std::string specification = "KernelSpecification";

struct launch_sizes {
    std::array<std::string, 3> threads{"1", "1", "1"}, blocks{"1", "1", "1"};
};

std::optional<launch_sizes> sizes_of(t1_reader& of, const json& kernel);
void translate_flags(t1_reader& of, const json& kernel);
void translate_arguments(t1_reader& of, const json& kernel);
std::string source_of(const t1_reader& of, const json& kernel);
void translate_argument(t1_reader& of, const json& argument, const std::string& place);
void translate_references(t1_reader& of, const json& kernel);
void note_search(t1_reader& of, const json& root);
std::string string_member(const json& object, const char* key);
std::string in_braces(const std::string& text);
std::string path_here(const t1_reader& of, const std::string& path);

// A number or an expression of Python as one of ours.
std::string number_here(const t1_reader& of, const json& value)
{
    return number_in_lua(python_expression(python_text(value)), of.names);
}

}  // namespace

void translate_kernel(t1_reader& of, const json& root)
{
    note_search(of, root);
    const json& kernel = member(root, "KernelSpecification");
    const std::string language = string_member(kernel, "Language");
    const auto without = [&](const std::string& place, const std::string& what) {
        of.note_here(place, what + "; add [kernel] or [program] (docs/tune_spec.md)");
    };
    if (!kernel.is_object()) return without(specification, "there is none, so the spec has no [kernel]");
    of.name_others(kernel, specification,
                   {"Language", "CompilerOptions", "BenchmarkName", "KernelName", "KernelFile", "GlobalSizeType",
                    "LocalSize", "GlobalSize", "GridDivX", "GridDivY", "GridDivZ", "ProblemSize", "SharedMemory",
                    "Arguments", "ReferenceArguments", "Device", "SimulationInput", "Profiling"});
    if (!language.empty() && language != "CUDA")
        return without(specification + ".Language",
                       "the kernel is " + language + ", so there is no [kernel]: launchbox compiles CUDA");
    if (language.empty()) of.note(specification + ".Language", "there is none: taken as CUDA");
    for (const char* needed : {"KernelName", "KernelFile"})
        if (string_member(kernel, needed).empty())
            return without(specification + "." + needed, "there is none, so the spec has no [kernel]");
    const std::optional<launch_sizes> sizes = sizes_of(of, kernel);
    if (!sizes) {
        return without(specification, "the sizes of the launch could not be read, so there is no [kernel]");
    }

    of.write("[kernel]");
    of.write("source = " + toml_string(path_here(of, string_member(kernel, "KernelFile"))));
    of.write("name = " + toml_string(in_braces(string_member(kernel, "KernelName"))));
    const auto listed = [](const std::array<std::string, 3>& of_three) {
        std::size_t count = 3;
        while (count > 1 && of_three[count - 1] == "1") --count;
        std::string list;
        for (std::size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + toml_string(of_three[i]);
        return count == 1 ? list : "[" + list + "]";
    };
    of.write("threads = " + listed(sizes->threads));
    of.write("blocks = " + listed(sizes->blocks));
    if (const json& shared = member(kernel, "SharedMemory"); !shared.is_null() && shared != 0 && shared != "0") try {
            of.write("dynamic_shared = " + toml_string(number_here(of, shared)));
        } catch (const error& failure) {
            of.note_here(specification + ".SharedMemory", std::string("not translated: ") + failure.what());
        }
    translate_flags(of, kernel);
    translate_arguments(of, kernel);
    of.result.has_kernel = true;
    of.write("");
    translate_references(of, kernel);
    if (!member(kernel, "Device").is_null()) of.note(specification + ".Device", "not translated: --gpu chooses");
    if (!member(kernel, "SimulationInput").is_null())
        of.note(specification + ".SimulationInput", "not translated: --replay answers from recorded results");
    if (member(kernel, "Profiling") == true)
        of.note(specification + ".Profiling", "not translated: there are no counters");
}

namespace {

// {"X": "a", "Y": "b"}, or a list, or one.
const json& dimension(const json& sizes, std::size_t i)
{
    static const json nothing;
    if (sizes.is_object()) return member(sizes, std::array{"X", "Y", "Z"}[i]);
    if (sizes.is_array()) return i < sizes.size() ? sizes[i] : nothing;
    return i == 0 ? sizes : nothing;
}

// The blocks: where the file divides a problem (GridDivX, GridDivY, which the schema has not), by that; else
// GlobalSize.
std::optional<launch_sizes> sizes_of(t1_reader& of, const json& kernel)
{
    launch_sizes result;
    const json &local = member(kernel, "LocalSize"), &global = member(kernel, "GlobalSize");
    const bool divides = (member(kernel, "GridDivX").is_array() || member(kernel, "GridDivY").is_array() ||
                          member(kernel, "GridDivZ").is_array()) &&
                         of.names.elements.contains("ProblemSize");
    const std::size_t size_dimensions = divides ? of.names.elements.at("ProblemSize").size() : 0;
    const std::string type = string_member(kernel, "GlobalSizeType");
    std::string place;
    try {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::string axis(1, "XYZ"[i]);
            const json& threads = dimension(local, i);
            place = specification + ".LocalSize." + axis;
            const std::string usual = "block_size_" + std::string(1, "xyz"[i]);
            if (!threads.is_null())
                result.threads[i] = number_here(of, threads);
            else if (of.names.variables.contains(usual))
                result.threads[i] = of.names.variables.at(usual).name;
            else if (i == 0)
                throw error("there is none");
            if (divides) {
                if (i >= size_dimensions) continue;
                place = specification + ".GridDiv" + axis;
                const json& divisors = member(kernel, place.c_str() + specification.size() + 1);
                std::string product;
                if (divisors.is_array())
                    for (const json& divisor : divisors)
                        product += (product.empty() ? "(" : " * (") + python_text(divisor) + ")";
                const std::string size = of.names.variables.at(of.names.elements.at("ProblemSize")[i]).name;
                const std::string divisor = divisors.is_array() && product.empty() ? "1"
                                            : product.empty()                      ? result.threads[i]
                                                              : number_in_lua(python_expression(product), of.names);
                result.blocks[i] = divisor == "1" ? size : "ceil_div(" + size + ", " + divisor + ")";
                continue;
            }
            place = specification + ".GlobalSize." + axis;
            const json& blocks = dimension(global, i);
            if (blocks.is_null()) {
                if (i == 0) throw error("there is none");
                continue;
            }
            const std::string size = number_here(of, blocks);
            const bool in_threads = type == "OpenCL" || type == "Vulkan";
            result.blocks[i] =
                !in_threads || result.threads[i] == "1" ? size : "ceil_div(" + size + ", " + result.threads[i] + ")";
        }
    } catch (const error& failure) {
        of.note(place, failure.what());
        return std::nullopt;
    }
    if (divides && !global.is_null())
        of.note(specification + ".GlobalSize", "not used: GridDivX and GridDivY with ProblemSize give the blocks");
    if (!divides && !type.empty() && type != "CUDA" && type != "OpenCL" && type != "Vulkan")
        of.note(specification + ".GlobalSizeType", type + " is not known: taken as blocks");
    return result;
}

// Parameters reach the kernel as macros.
void translate_flags(t1_reader& of, const json& kernel)
{
    std::vector<std::string> flags;
    const json& options = member(kernel, "CompilerOptions");
    for (const json& value : options.is_array() ? options : json::array({options})) {
        if (!value.is_string()) continue;
        try {
            if (value.get<std::string>().find_first_not_of(' ') == std::string::npos) continue;
            for (const std::string& word : command_words(value.get<std::string>())) flags.push_back(in_braces(word));
        } catch (const error& failure) {
            of.note_here(specification + ".CompilerOptions", std::string("not translated: ") + failure.what());
        }
    }
    for (const std::string& name : of.parameters)
        flags.push_back("-D" + name + "={" + of.names.variables.at(name).name + "}");
    of.write("flags = [");
    for (const std::string& flag : flags) of.write("  " + toml_string(flag) + ",");
    of.write("]");
}

void translate_arguments(t1_reader& of, const json& kernel)
{
    const json& arguments = member(kernel, "Arguments");
    if (!arguments.is_array() || arguments.empty())
        return of.note_here(specification + ".Arguments",
                            "there are none: add the kernel's parameters, if it has some");
    of.source = source_of(of, kernel);
    of.write("arguments = [");
    for (std::size_t i = 0; i < arguments.size(); ++i)
        translate_argument(of, arguments[i], fmt::format("{}.Arguments[{}]", specification, i));
    of.write("]");
    if (!of.variables.empty()) of.write("variables = [\n" + of.variables + "]");
}

// The type in C++, or empty.
std::string type_here(std::string type)
{
    for (const auto& [theirs, ours] :
         {std::pair("int8", "int8_t"), std::pair("uint8", "uint8_t"), std::pair("int16", "int16_t"),
          std::pair("uint16", "uint16_t"), std::pair("int32", "int"), std::pair("uint32", "unsigned"),
          std::pair("int64", "int64_t"), std::pair("uint64", "uint64_t"), std::pair("uint", "unsigned")})
        if (type == theirs) {
            type = ours;
            break;
        }
    try {
        static_cast<void>(element_type_of(type));
        return type;
    } catch (const error&) {
        return {};
    }
}

// Empty where it cannot be read: the compiler says so later.
std::string source_of(const t1_reader& of, const json& kernel)
{
    const std::filesystem::path source =
        std::filesystem::path(of.file).parent_path() / string_member(kernel, "KernelFile");
    std::error_code failure;
    if (!std::filesystem::is_regular_file(source, failure)) return {};
    try {
        return read_file(source, std::size_t{16} << 20);
    } catch (const error&) {
        return {};
    }
}

// Whether a source has "__constant__ TYPE NAME"; one that is not there may.
bool declares_constant(std::string_view source, const std::string& name)
{
    constexpr std::string_view constant = "__constant__";
    const auto in_word = [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    };
    for (std::size_t at = source.find(constant); at != std::string_view::npos; at = source.find(constant, at + 1)) {
        const std::string_view declaration = source.substr(at, source.find(';', at) - at);
        for (std::size_t found = declaration.find(name); found != std::string_view::npos;
             found = declaration.find(name, found + 1)) {
            const std::size_t end = found + name.size();
            if (!in_word(declaration[found - 1]) && (end == declaration.size() || !in_word(declaration[end])))
                return true;
        }
    }
    return source.empty();
}

// One of the kernel's arguments on its way into the spec.
struct argument_reader {
    t1_reader& of;
    const json& argument;
    const std::string& place;
    std::string name = string_member(argument, "Name");
    std::string type = {};          // ours; empty: it is not known
    std::string count_factor = {};  // elements of our type in one of theirs
    std::string memory = string_member(argument, "MemoryType");

    void translate();

private:
    void leave_out(const std::string& why);
    void write_variable(bool parameter_too);
    void find_type();
    void write_scalar();
    [[nodiscard]] std::string count() const;
    [[nodiscard]] std::string filling() const;
    [[nodiscard]] std::string role() const;
    [[nodiscard]] std::optional<std::string> number(const json& from) const;
    [[nodiscard]] std::string start() const
    {
        return "  { name = " + toml_string(name) + ", type = " + toml_string(type);
    }
};

void argument_reader::translate()
{
    if (name.empty()) return leave_out("it has no Name, and is left out: the parameters after it move");
    of.name_others(argument, place,
                   {"Name", "Type", "Size", "TypeSize", "MemoryType", "AccessType", "FillType", "FillValue",
                    "DataSource", "RandomSeed", "MemType", "Output"});
    if (memory == "Local") return leave_out("left out: CUDA has no parameter in shared memory");
    find_type();
    if (type.empty())
        return leave_out("left out: launchbox does not know the type '" + string_member(argument, "Type") +
                         "'; the parameters after it move");
    // KTT's symbols are variables of the module. Kernel Tuner's constants are that and parameters of the kernel.
    const bool symbol = memory == "Symbol" || memory == "Constant";
    if (symbol || string_member(argument, "MemType") == "Constant") write_variable(!symbol);
    if (symbol) return;
    if (memory == "Scalar" || (memory.empty() && member(argument, "Size").is_null())) return write_scalar();
    // In this order, since each of them may leave a note.
    std::string line = start() + ", count = " + toml_string(count());
    line += filling();
    of.write(line + role() + " },");
}

void argument_reader::leave_out(const std::string& why)
{
    of.result.spec += "  ";
    of.note_here(place, (name.empty() ? "" : name + ": ") + why);
}

void argument_reader::write_variable(bool parameter_too)
{
    if (parameter_too && !declares_constant(of.source, name)) {
        of.result.spec += "  ";
        return of.note_here(place + ".MemType",
                            name + ": a parameter only, since the source declares no __constant__ " + name);
    }
    std::string line = start();
    if (memory == "Scalar" || member(argument, "Size").is_null()) {
        line += ", value = " + toml_string(number(member(argument, "FillValue")).value_or("0"));
    } else {
        line += ", count = " + toml_string(count());
        line += filling();
    }
    of.variables += line + " },\n";
}

// A type that is not known, but whose size is, is so many bytes.
void argument_reader::find_type()
{
    type = type_here(string_member(argument, "Type"));
    const json& bytes = member(argument, "TypeSize");
    if (type.empty() && bytes.is_number_integer() && bytes > 0 && bytes < 1000000 && memory != "Scalar") {
        type = "unsigned char";
        count_factor = " * " + bytes.dump();
    }
}

void argument_reader::write_scalar()
{
    const json& value = member(argument, "FillValue");
    const auto scalar = value.is_null() ? std::nullopt : number(value);
    if (!scalar) of.note_here(place + ".FillValue", name + " has no value that can be read: taken as 0");
    of.write(start() + ", value = " + toml_string(scalar.value_or("0")) + " },");
}

std::string argument_reader::count() const
{
    try {
        const std::string size = python_text(member(argument, "Size"));
        return number_in_lua(python_expression(count_factor.empty() ? size : "(" + size + ")" + count_factor),
                             of.names);
    } catch (const error& failure) {
        of.note_here(place + ".Size", std::string("taken as 1 element: ") + failure.what());
        return "1";
    }
}

std::string argument_reader::filling() const
{
    const std::string fill = string_member(argument, "FillType");
    const json& value = member(argument, "FillValue");
    if (fill == "Constant" && !value.is_null()) {
        const auto constant = number(value);
        if (!constant) of.note_here(place + ".FillValue", name + " has no value that can be read: zeros");
        if (!constant || *constant == "0" || *constant == "0.0") return {};
        return ", fill = \"constant\", value = " + toml_string(*constant);
    }
    if (fill == "Random") {
        std::string filling = ", fill = \"random\"";
        if (value.is_number() && value > 0 && value < 1e300)
            filling += ", low = 0, high = " + repr_of({value.get<double>()});
        if (const json& seed = member(argument, "RandomSeed");
            seed.is_number_integer() && seed >= 0 && seed <= INT64_MAX)
            filling += ", seed = " + seed.dump();
        return filling;
    }
    if (fill == "BinaryRaw" && !string_member(argument, "DataSource").empty())
        return ", fill = \"file\", file = " +
               toml_string(in_braces(path_here(of, string_member(argument, "DataSource"))));
    if (!fill.empty() && fill != "Constant")
        of.note_here(place + ".FillType", fmt::format("{} is filled with zeros: {} is not translated; write the data "
                                                      "into a .npy and name it with fill = \"file\"",
                                                      name, fill));
    return {};
}

std::string argument_reader::role() const
{
    const std::string access = string_member(argument, "AccessType");
    const json& output = member(argument, "Output");
    if (access == "ReadWrite") return ", role = \"in_out\"";
    return access == "WriteOnly" || output == 1 || output == true ? ", role = \"output\"" : "";
}

std::optional<std::string> argument_reader::number(const json& from) const
{
    try {
        return number_here(of, from);
    } catch (const error&) {
        return std::nullopt;
    }
}

void translate_argument(t1_reader& of, const json& argument, const std::string& place)
{
    argument_reader{of, argument, place}.translate();
}

// What outputs are compared with.
void translate_references(t1_reader& of, const json& kernel)
{
    const json& references = member(kernel, "ReferenceArguments");
    if (!references.is_array() || references.empty()) {
        of.write("# The problem does not specify a tolerance. If the order of additions may change:");
        of.write("# [verify]\n# relative = 1e-5");
        return;
    }
    double absolute = 0, relative = 0;
    for (std::size_t i = 0; i < references.size(); ++i) {
        const std::string place = fmt::format("{}.ReferenceArguments[{}]", specification, i);
        const json& threshold = member(references[i], "ValidationThreshold");
        const std::string method = string_member(references[i], "ValidationMethod");
        const double limit = threshold.is_number() && threshold >= 0 && threshold < 1e300 ? threshold.get<double>() : 0;
        (method == "SideBySideRelativeComparison" ? relative : absolute) =
            std::max(method == "SideBySideRelativeComparison" ? relative : absolute, limit);
        if (method == "AbsoluteDifference")
            of.note_here(place + ".ValidationMethod",
                         "AbsoluteDifference adds up the differences: here each element may differ by the threshold");
        of.note_here(place, fmt::format("the reference itself ({}) is not translated: outputs are compared with the "
                                        "baseline's; [verify] against takes a .npy or a command",
                                        string_member(references[i], "FillType").empty()
                                            ? "no FillType"
                                            : string_member(references[i], "FillType")));
    }
    if (absolute == 0 && relative == 0) return;
    of.write("[verify]");
    if (absolute > 0) of.write("absolute = " + repr_of({absolute}));
    if (relative > 0) of.write("relative = " + repr_of({relative}));
}

void note_search(t1_reader& of, const json& root)
{
    if (const json& search = member(root, "Search"); !search.is_null())
        of.note("Search",
                fmt::format("not translated{}: --search chooses the strategy",
                            string_member(search, "Name").empty() ? "" : " (" + string_member(search, "Name") + ")"));
    const json& budgets = member(root, "Budget");
    if (budgets.is_null()) return;
    const json list = budgets.is_array() ? budgets : json::array({budgets});
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string place = budgets.is_array() ? fmt::format("Budget[{}]", i) : "Budget";
        const std::string type = string_member(list[i], "Type");
        const json& value = member(list[i], "BudgetValue");
        const std::string shown = value.is_number() ? value.dump() : "N";
        const std::string option = type == "TuningDuration"          ? "--budget " + shown + "s"
                                   : type == "ConfigurationCount"    ? "--budget " + shown
                                   : type == "ConfigurationFraction" ? "--budget N with " + shown + " of the candidates"
                                                                     : "--budget";
        of.note(place, "not translated: " + option + " does it");
    }
}

std::string string_member(const json& object, const char* key)
{
    const json& value = member(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

std::string in_braces(const std::string& text)
{
    std::string result;
    for (const char c : text) result += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
    return result;
}

std::string path_here(const t1_reader& of, const std::string& path)
{
    return path.starts_with("/") ? path : of.folder + path;
}

}  // namespace

}  // namespace launchbox::t1
