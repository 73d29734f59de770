// SPDX-License-Identifier: Apache-2.0
#include "image/cubin.hpp"

#define XXH_INLINE_ALL  // the library is one header
#include <xxhash.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "image/code/grid_dependency.hpp"
#include "image/code/spill_inference.hpp"
#include "image/code/spills.hpp"
#include "image/container/elf.hpp"
#include "image/container/nv_info.hpp"
#include "image/cubin_identity.hpp"
#include "image/lines/line_table.hpp"
#include "image/optimisation.hpp"

namespace launchbox {

namespace {

constexpr std::uint32_t section_nv_info = 0x70000000;  // the shadow sections of sm_100 and later have other types
constexpr std::uint8_t symbol_object = 13, symbol_is_shared = 0x40;  // `type`, and a bit of `other`: __shared__
constexpr std::uint64_t external_alignment = 16;  // that nvcc gives to extern __shared__ memory, at least
constexpr std::uint32_t unknown_stack = 0xffffffff;
constexpr std::int64_t max_section_bytes = std::int64_t{1} << 53;  // larger whole numbers are inexact in JSON
constexpr int lists_spills_from = 126;  // CUDA 12.6; earlier, a missing list does not mean no spills

// Whether the code can have more spills than a list in an image can hold.
constexpr bool is_long(std::string_view code)
{
    return code.size() / 16 >= 8192;
}

constexpr bool is_plausible(std::uint64_t bytes)
{
    return bytes <= static_cast<std::uint64_t>(max_section_bytes);
}

// What has been read about a kernel, but is not yet in `kernel_info`.
struct kernel_draft {
    std::uint64_t offset = 0;                          // of its symbol
    std::uint64_t begin = 0, end = ~std::uint64_t{0};  // of its own code; called functions may follow
    const elf_section* code = nullptr;
    std::optional<std::uint64_t> shared_section_bytes;
    std::uint64_t shared_section_alignment = 0;
    bool has_info = false;            // a section .nv.info.KERNEL
    bool has_register_count = false;  // ptxas wrote it; hand-assembled kernels lack the record
    bool has_callee = false, has_call_stack = false;
    bool shared_scratch = false;
    bool uses_other_shared = false;      // or calls functions that may: see `find_shared_elsewhere`
    std::optional<int> toolkit_version;  // of the compiler, not of the linker
    std::vector<std::uint32_t> spills;
};

// Names have a hundred bytes or more; the standard library's hash takes four times as long.
struct name_hash {
    std::size_t operator()(std::string_view name) const { return XXH3_64bits(name.data(), name.size()); }
};

// An index into the drafts and into the kernels of the result.
using kernel_index = std::uint32_t;
constexpr kernel_index no_kernel = ~kernel_index{0};

// The meaning of records that only say "used". NVIDIA's tools call one of them COOP_GROUP_INSTR_OFFSETS, but it is
// written for every shuffle, vote and __syncwarp, so it does not indicate cooperative launches. The wmma record is only
// written for nvcuda::wmma: mma.sync and wgmma use the tensor cores without a record.
std::optional<kernel_feature> feature_of(nv_info_attribute attribute)
{
    switch (attribute) {
        case nv_info_attribute::register_reconfiguration:
            return kernel_feature::setmaxnreg;
        case nv_info_attribute::tensor_memory_1:
            return kernel_feature::tensor_memory;
        case nv_info_attribute::tensor_memory_2:
            return kernel_feature::tensor_memory_pair;
        case nv_info_attribute::wmma_used:
            return kernel_feature::wmma;
        case nv_info_attribute::memory_barriers:
            return kernel_feature::memory_barriers;
        case nv_info_attribute::warp_sync_offsets:
            return kernel_feature::warp_synchronisation;
        case nv_info_attribute::shared_scratch:
            return kernel_feature::shared_memory_spilling;
        default:
            return std::nullopt;
    }
}

class cubin_reader {
public:
    cubin_reader(std::string_view bytes, const std::string& file, const cubin_options& options)
        : bytes_(bytes),
          file_(file),
          options_(options),
          overlap_budget_(bytes.size()),
          image_(read_elf(bytes, result_.diagnostics))
    {
    }

    cubin_contents read();

private:
    void find_kernels();
    void find_shared_elsewhere();
    bool add_kernel(const elf_symbol& symbol, std::string_view name);
    void read_section(const elf_section& section);
    void read_constant_section(const elf_section& section);
    void read_module_info(const elf_section& section);
    void read_kernel_info(const elf_section& section, kernel_index index);
    void read_lines();
    void find_debug_builds();
    void finish(kernel_index index);
    void count_lines(kernel_index index, const std::optional<spill_limits>& spills);
    void find_dynamic_shared(kernel_index index);
    void examine();
    void limit_line_text();

    kernel_index find(const elf_section& section, std::string_view kernel_name);
    [[nodiscard]] bool starts_with(const elf_symbol& symbol, std::string_view prefix) const;
    [[nodiscard]] bool is_called(const elf_symbol& symbol, std::string_view name) const;
    [[nodiscard]] bool is_callee(const elf_symbol& symbol, std::string_view kernel) const;
    std::optional<std::int64_t> size_of(const elf_section& section);
    std::optional<int> small_number(std::uint32_t value, std::uint64_t offset);
    bool take(std::size_t bytes, std::uint64_t offset);
    void complain(std::uint64_t offset, std::string what)
    {
        add_diagnostic(result_.diagnostics, offset, std::move(what));
    }

    cubin_contents result_;  // first: its diagnostics are filled while image_ is constructed
    std::string_view bytes_;
    const std::string& file_;
    const cubin_options& options_;
    std::size_t overlap_budget_;
    std::optional<elf_image> image_;
    int sm_ = 0;                        // 0: unknown
    bool external_shared_ = false;      // the module has extern __shared__ memory
    std::uint64_t shared_reserve_ = 0;  // included in the sections of shared memory
    std::vector<kernel_draft> drafts_;
    std::optional<line_index> line_index_;  // only if lines are wanted, and the image has them
    std::unordered_map<std::string_view, kernel_index, name_hash> kernel_of_name_;
    std::vector<kernel_index> kernel_of_symbol_, kernel_of_section_;
};

}  // namespace

cubin_contents read_cubin(std::string_view bytes, const std::string& file, const cubin_options& options)
{
    return cubin_reader(bytes, file, options).read();
}

namespace {

cubin_contents cubin_reader::read()
{
    if (!image_) return std::move(result_);
    if (image_->machine != elf::machine_cuda) {
        result_.diagnostics = {{18, "not a cubin: an ELF image for another machine"}};
        return std::move(result_);
    }
    const cubin_identity identity = identify_cubin(*image_, result_.diagnostics);
    sm_ = identity.sm;
    result_.architecture = identity.architecture;
    result_.virtual_architecture = identity.virtual_architecture;
    result_.toolkit_version = identity.toolkit_version;
    result_.relocatable = image_->type == elf::type_relocatable;
    result_.end = std::min<std::uint64_t>(image_->end, bytes_.size());
    find_kernels();
    if (options_.names_only) return std::move(result_);
    for (const elf_section& section : image_->sections) read_section(section);
    if (result_.relocatable) find_shared_elsewhere();
    read_lines();
    find_debug_builds();
    for (kernel_index i = 0; i < drafts_.size(); ++i) finish(i);
    for (kernel_index i = 0; i < drafts_.size(); ++i) find_dynamic_shared(i);
    if (options_.examine && !drafts_.empty()) examine();
    if (options_.memory != nullptr) limit_line_text();
    return std::move(result_);
}

void cubin_reader::find_kernels()
{
    constexpr std::ptrdiff_t reserved_at_once = 65536;  // an image can claim any number
    const auto is_entry = [](const elf_symbol& symbol) {
        return symbol.type == elf::symbol_function && (symbol.other & elf::symbol_is_entry) != 0 && symbol.section != 0;
    };
    const auto entries =
        static_cast<std::size_t>(std::min(reserved_at_once, std::ranges::count_if(image_->symbols, is_entry)));
    drafts_.reserve(entries);
    result_.kernels.reserve(entries);
    kernel_of_name_.reserve(entries);
    kernel_of_symbol_.assign(image_->symbols.size(), no_kernel);
    kernel_of_section_.assign(image_->sections.size(), no_kernel);
    for (std::uint32_t i = 0; i < image_->symbols.size(); ++i) {
        const elf_symbol& symbol = image_->symbols[i];
        if (is_entry(symbol)) {
            const std::string_view name = image_->symbol_name(symbol);
            if (!take(name.size(), symbol.offset)) return;
            if (name.empty() || kernel_of_name_.contains(name)) {
                complain(symbol.offset, "a kernel without a name of its own");
                continue;
            }
            if (!add_kernel(symbol, name)) return;
            kernel_of_symbol_[i] = static_cast<kernel_index>(drafts_.size() - 1);
        } else if (result_.relocatable && symbol.type == symbol_object && symbol.section == 0 &&
                   (symbol.other & symbol_is_shared) != 0) {
            external_shared_ = true;
        } else if (sm_ >= 90 && !result_.relocatable && starts_with(symbol, ".nv.reservedSmem.")) {
            // Images for sm_90 and later, linked by CUDA 12.3 and later, include the system's 1,024 bytes in the
            // kernel's.
            shared_reserve_ = 1024;
        }
    }
    for (const elf_symbol& symbol : image_->symbols) {
        if (symbol.type != elf::symbol_function || (symbol.other & elf::symbol_is_entry) != 0) continue;
        if (symbol.section >= kernel_of_section_.size() || kernel_of_section_[symbol.section] == no_kernel) continue;
        // $KERNEL$FUNCTION is a user's function; $__internal_0_$NAME, a slow path of the compiler, has no stack.
        const kernel_index index = kernel_of_section_[symbol.section];
        if (symbol.value > drafts_[index].begin) drafts_[index].end = std::min(drafts_[index].end, symbol.value);
        drafts_[index].has_callee |= is_callee(symbol, result_.kernels[index].name);
    }
}

// Before linking, the section of a kernel contains only shared memory that the kernel itself declares, without that of
// templates (which may be in several objects), the file, or called functions; nvlink adds them up. Relocations of the
// code show which of their addresses it uses.
void cubin_reader::find_shared_elsewhere()
{
    const auto is_elsewhere = [&](const elf_symbol& symbol) {
        return symbol.type == symbol_object && (symbol.other & symbol_is_shared) != 0 && symbol.section != 0 &&
               symbol.section < image_->sections.size() &&
               !image_->sections[symbol.section].name.starts_with(".nv.shared.");
    };
    if (std::ranges::none_of(image_->symbols, is_elsewhere)) return;
    for (const elf_section& section : image_->sections) {
        const bool has_addend = section.name.starts_with(".rela.text.");
        if (!has_addend && !section.name.starts_with(".rel.text.")) continue;
        const kernel_index index =
            section.info < kernel_of_section_.size() ? kernel_of_section_[section.info] : no_kernel;
        if (index == no_kernel || !take(section.content.size(), section.offset)) continue;
        const std::size_t entry = has_addend ? 24 : 16;
        for (std::size_t at = 0; section.content.size() - at >= entry; at += entry) {
            const auto place = read_number<std::uint64_t>(section.content, at + 8) >> 32;
            if (place >= image_->symbols.size()) continue;
            const elf_symbol& symbol = image_->symbols[place];
            drafts_[index].uses_other_shared |=
                is_elsewhere(symbol) || (symbol.type == elf::symbol_function && symbol.section != 0);
        }
    }
}

// False if no memory is left for it.
bool cubin_reader::add_kernel(const elf_symbol& symbol, std::string_view name)
{
    const auto index = static_cast<kernel_index>(drafts_.size());
    kernel_info kernel;
    kernel.name = name;
    set_architecture(kernel, result_.architecture);
    kernel.virtual_architecture = result_.virtual_architecture;
    kernel.source.file = file_;
    kernel.source.container = "cubin";
    kernel.relocatable = result_.relocatable;
    if (options_.memory != nullptr && !options_.memory->take(kernel)) return false;
    result_.kernels.push_back(std::move(kernel));
    kernel_of_name_[name] = index;
    kernel_draft& draft = drafts_.emplace_back();
    draft.offset = symbol.offset;
    draft.begin = symbol.value;
    if (symbol.section < image_->sections.size()) {
        draft.code = &image_->sections[symbol.section];
        kernel_of_section_[symbol.section] = index;
    } else {
        complain(symbol.offset, "a kernel is in section " + std::to_string(symbol.section) + ", which does not exist");
    }
    return true;
}

void cubin_reader::read_section(const elf_section& section)
{
    constexpr std::string_view info = ".nv.info", kernel_info = ".nv.info.", shared = ".nv.shared.",
                               constant = ".nv.constant";
    const std::string_view name = section.name;
    if (name == ".nv.global" || name == ".nv.global.init") {
        // An image has one of each, but a hostile one has thousands, and the sum must not overflow.
        result_.global_bytes = std::min(max_section_bytes, result_.global_bytes + size_of(section).value_or(0));
    } else if (name.starts_with(constant)) {
        read_constant_section(section);
    } else if (name.starts_with(shared)) {
        if (const kernel_index i = find(section, name.substr(shared.size())); i != no_kernel) {
            drafts_[i].shared_section_bytes = section.size;
            drafts_[i].shared_section_alignment = section.alignment;
        }
    } else if (section.type == section_nv_info && name == info) {
        read_module_info(section);
    } else if (section.type == section_nv_info && name.starts_with(kernel_info)) {
        if (const kernel_index i = find(section, name.substr(kernel_info.size())); i != no_kernel)
            read_kernel_info(section, i);
    }
}

// .nv.constantN.KERNEL for one kernel, .nv.constantN for all.
void cubin_reader::read_constant_section(const elf_section& section)
{
    std::string_view rest = section.name.substr(std::string_view(".nv.constant").size());
    int bank = 0;
    std::size_t digits = 0;
    for (; digits < rest.size() && digits < 2 && rest[digits] >= '0' && rest[digits] <= '9'; ++digits)
        bank = bank * 10 + (rest[digits] - '0');
    if (digits == 0) return;
    rest.remove_prefix(digits);

    std::vector<constant_bank>* banks = nullptr;
    if (rest.empty())
        banks = &result_.module_constant_banks;
    else if (const kernel_index i = rest.front() == '.' ? find(section, rest.substr(1)) : no_kernel; i != no_kernel)
        banks = &result_.kernels[i].figures.constant_banks;
    if (banks == nullptr) return;
    const auto place = std::lower_bound(banks->begin(), banks->end(), bank,
                                        [](const constant_bank& other, int value) { return other.bank < value; });
    if (place != banks->end() && place->bank == bank)
        complain(section.offset, "constant bank " + std::to_string(bank) + " appears twice");
    else if (const auto bytes = size_of(section))
        banks->insert(place, {bank, *bytes});
}

void cubin_reader::read_module_info(const elf_section& section)
{
    using enum nv_info_attribute;
    if (!take(section.content.size(), section.offset)) return;
    nv_info_reader reader(section.content, section.offset, result_.diagnostics);
    for (nv_info_record record; reader.next(record);) {
        if (!record.is(register_count) && !record.is(frame_size) && !record.is(min_stack_size)) continue;
        const auto pair = record.pair();
        if (!pair) {
            complain(record.offset, "an attribute record is too short");
            continue;
        }
        const auto [symbol, value] = *pair;
        const kernel_index index = symbol < kernel_of_symbol_.size() ? kernel_of_symbol_[symbol] : no_kernel;
        if (index == no_kernel) continue;  // a device function
        kernel_info& kernel = result_.kernels[index];
        if (record.is(register_count)) {
            drafts_[index].has_register_count = true;
            kernel.figures.registers = small_number(value, record.offset);
        } else if (record.is(frame_size)) {
            kernel.figures.stack_frame_bytes = value;
        } else if (value == unknown_stack) {
            kernel.figures.stack_unbounded = true;
        } else {
            kernel.figures.cumulative_stack_bytes = value;
        }
    }
}

void cubin_reader::read_kernel_info(const elf_section& section, kernel_index index)
{
    using enum nv_info_attribute;
    if (!take(section.content.size(), section.offset)) return;
    kernel_draft& draft = drafts_[index];
    kernel_info& kernel = result_.kernels[index];
    draft.has_info = true;
    nv_info_reader reader(section.content, section.offset, result_.diagnostics);
    for (nv_info_record record; reader.next(record);) {
        if (const auto feature = feature_of(static_cast<nv_info_attribute>(record.attribute)))
            kernel.analysis.features.add(*feature);
        switch (static_cast<nv_info_attribute>(record.attribute)) {
            case max_threads:
                kernel.bounds.max_threads = record.triple();
                break;
            case required_threads:
                kernel.bounds.required_threads = record.triple();
                break;
            case cluster_blocks:
                kernel.bounds.cluster = record.triple();
                break;
            case max_cluster_blocks:
                if (const auto blocks = record.number())
                    kernel.bounds.max_cluster_blocks = small_number(*blocks, record.offset);
                break;
            case parameter_size:
                kernel.figures.parameter_bytes = record.value;
                break;
            case max_registers:
                kernel.bounds.register_cap = record.value;
                break;
            case barriers:
                kernel.figures.barriers = record.value;
                break;
            case call_return_stack_size:
                draft.has_call_stack = true;
                break;
            case shared_scratch:
                draft.shared_scratch = true;
                break;
            case external_functions:
                for (std::size_t at = 0; record.payload.size() - at >= 4; at += 4) {
                    const auto symbol = read_number<std::uint32_t>(record.payload, at);
                    if (symbol < image_->symbols.size() && is_called(image_->symbols[symbol], "vprintf"))
                        kernel.analysis.features.add(kernel_feature::printing);
                }
                break;
            case annotations:
                for (std::size_t at = 0; record.payload.size() - at >= 8; at += 8)
                    if (read_number<std::uint32_t>(record.payload, at) == 1)
                        draft.spills.push_back(read_number<std::uint32_t>(record.payload, at + 4));
                break;
            case toolkit_version:
                if (const auto version = record.number())
                    kernel.toolkit_version = draft.toolkit_version = small_number(*version, record.offset);
                if (!result_.toolkit_version) result_.toolkit_version = kernel.toolkit_version;
                break;
            default:
                break;
        }
    }
}

// The line table gives the addresses where functions start, and relocations name their symbols.
void cubin_reader::read_lines()
{
    const elf_section *lines = nullptr, *relocations = nullptr;
    std::size_t relocation_size = 0;  // without or with an addend; older architectures have none
    for (const elf_section& section : image_->sections) {
        if (section.name == ".debug_line") lines = &section;
        if (section.name != ".rel.debug_line" && section.name != ".rela.debug_line") continue;
        relocations = &section;
        relocation_size = section.name == ".rel.debug_line" ? 16 : 24;
    }
    if (lines == nullptr || relocations == nullptr) return;
    if (!take(lines->content.size(), lines->offset) || !take(relocations->content.size(), relocations->offset)) return;

    std::unordered_map<std::uint64_t, kernel_index> kernel_at;
    std::unordered_map<std::uint64_t, code_address> address_at;
    const bool all = options_.lines != wanted_lines::none;
    for (std::size_t at = 0; relocations->content.size() - at >= relocation_size; at += relocation_size) {
        const auto symbol = read_number<std::uint64_t>(relocations->content, at + 8) >> 32;
        const auto place = read_number<std::uint64_t>(relocations->content, at);
        if (symbol < kernel_of_symbol_.size() && kernel_of_symbol_[symbol] != no_kernel)
            kernel_at[place] = kernel_of_symbol_[symbol];
        if (!all || symbol >= image_->symbols.size()) continue;
        const elf_symbol& function = image_->symbols[symbol];
        const std::uint64_t addend =
            relocation_size == 24 ? read_number<std::uint64_t>(relocations->content, at + 16) : 0;
        address_at[place] = {function.section, function.value + addend};
    }
    const auto found = [&](const line_of_function& function) {
        const auto kernel = kernel_at.find(function.address_offset);
        if (kernel == kernel_at.end() || result_.kernels[kernel->second].analysis.written_at) return;
        result_.kernels[kernel->second].analysis.written_at = {source_path(function), function.line};
    };
    line_rows rows;
    read_line_table(lines->content, lines->offset, result_.diagnostics, found, all ? &rows : nullptr);
    if (!all) return;
    if (rows.cut_off) complain(lines->offset, "too much line information; the lines of some code are not shown");
    const auto names = std::ranges::find(image_->sections, ".debug_str", &elf_section::name);
    line_index_.emplace(rows, address_at, names == image_->sections.end() ? std::string_view{} : names->content);
    if (options_.memory != nullptr &&
        !options_.memory->take(line_index_->places()->places.size() * (sizeof(line_place) + sizeof(std::uint32_t))))
        line_index_.reset();
}

// nvcc -G describes each function that it compiled, -lineinfo none.
void cubin_reader::find_debug_builds()
{
    const code_optimisation others = read_optimisation(*image_).without_debug_information;
    for (kernel_info& kernel : result_.kernels) kernel.optimisation = others;
    for (const elf_section& section : image_->sections) {
        const bool with_addend = section.name == ".rela.debug_info";
        if (!with_addend && section.name != ".rel.debug_info") continue;
        const std::size_t size = with_addend ? 24 : 16;
        if (!take(section.content.size(), section.offset)) return;
        for (std::size_t at = 0; section.content.size() - at >= size; at += size) {
            const auto symbol = read_number<std::uint64_t>(section.content, at + 8) >> 32;
            if (symbol < kernel_of_symbol_.size() && kernel_of_symbol_[symbol] != no_kernel)
                result_.kernels[kernel_of_symbol_[symbol]].optimisation = code_optimisation::debug;
        }
    }
}

// Sets the values that depend on several records.
void cubin_reader::finish(kernel_index index)
{
    kernel_draft& draft = drafts_[index];
    kernel_info& kernel = result_.kernels[index];
    const bool by_ptxas = draft.has_info && draft.has_register_count;
    if (draft.code != nullptr) {
        kernel.figures.code_bytes = size_of(*draft.code);
        // Images without a register count record have it in the section header up to sm_89; from then on that is 0.
        const std::uint32_t registers = draft.code->info >> 24;
        if (!draft.has_register_count && registers > 0) kernel.figures.registers = static_cast<int>(registers);
        if (!kernel.figures.barriers && image_->abi_version == 7)
            kernel.figures.barriers = static_cast<int>(draft.code->flags >> 20 & 0x7f);
    }
    if (!kernel.figures.barriers && by_ptxas) kernel.figures.barriers = 0;
    if (!kernel.toolkit_version) kernel.toolkit_version = result_.toolkit_version;
    if (!kernel.figures.parameter_bytes && draft.has_info) kernel.figures.parameter_bytes = 0;

    const std::uint64_t shared = draft.shared_section_bytes.value_or(shared_reserve_);
    if (!is_plausible(shared) || shared < shared_reserve_)
        complain(draft.offset, "a kernel claims to have " + std::to_string(shared) + " bytes of shared memory");
    else if (sm_ > 0 && !draft.uses_other_shared)
        kernel.figures.static_shared_bytes = static_cast<std::int64_t>(shared - shared_reserve_);
    if (sm_ > 0 && !result_.relocatable)
        kernel.figures.reserved_shared_bytes = static_cast<std::int64_t>(shared_reserve_);

    // ptxas also writes 0 for unknown sizes, as with recursion; only a callee shows that 0 may mean unknown.
    if (draft.has_callee && draft.has_call_stack && kernel.figures.cumulative_stack_bytes == 0)
        kernel.figures.cumulative_stack_bytes.reset();

    // The module's extern __shared__ memory leaves an empty section.
    external_shared_ |= !result_.relocatable && draft.shared_section_bytes && kernel.figures.static_shared_bytes == 0;

    if (draft.code == nullptr) return;
    const std::string_view code = draft.code->content;
    // Spills are in the stack frame, or in shared memory if the image says so.
    const bool can_spill =
        sm_ == 0 || kernel.figures.stack_frame_bytes != 0 || draft.shared_scratch || !draft.spills.empty();
    // From the version that compiled the kernel; the version of a linked image is nvlink's.
    const bool lists_spills = by_ptxas && draft.toolkit_version >= lists_spills_from;
    // A list that was cut off may be empty: see `limit_spills`.
    const bool count = sm_ >= 70 && can_spill && (!draft.spills.empty() || (lists_spills && is_long(code)));
    const bool infer = sm_ >= 70 && can_spill && by_ptxas && !lists_spills && draft.spills.empty();
    // Before 9.0 there is no such instruction.
    const bool look_for_wait = options_.grid_dependency && sm_ >= 90;
    const bool readable = !code.empty() && (count || infer || options_.hash_code || look_for_wait) &&
                          take(code.size(), draft.code->offset);
    if (readable && look_for_wait) {
        kernel.launches.waits_for_grid = waits_for_grid(code);
        if (!*kernel.launches.waits_for_grid && draft.has_callee)
            kernel.launches.waits_for_grid.reset();  // the callee may wait
    }
    if (readable && options_.hash_code) kernel.figures.code_hash = XXH3_64bits(code.data(), code.size());
    std::optional<spill_limits> spills;
    if (!can_spill || (sm_ >= 70 && lists_spills && !count))
        spills = spill_limits{};
    else if (readable && count)
        spills = limit_spills(code, draft.spills, draft.shared_scratch);
    else if (readable && infer)
        spills = infer_spills(code, draft.begin, draft.end, draft.spills);
    if (options_.lines != wanted_lines::none) count_lines(index, spills);
    if (!spills) return;
    if (spills->shared) {
        kernel.figures.shared_spill_store_bytes = spills->shared->stores;
        kernel.figures.shared_spill_load_bytes = spills->shared->loads;
    }
    if (spills->at_least == spills->at_most) {
        kernel.figures.spill_store_bytes = spills->at_least.stores;
        kernel.figures.spill_load_bytes = spills->at_least.loads;
    } else {
        kernel.figures.spills_between = {.min_stores = spills->at_least.stores,
                                         .max_stores = spills->at_most.stores,
                                         .min_loads = spills->at_least.loads,
                                         .max_loads = spills->at_most.loads};
    }
}

// Counts the same spills as `limit_spills`.
void cubin_reader::count_lines(kernel_index index, const std::optional<spill_limits>& spills)
{
    const kernel_draft& draft = drafts_[index];
    kernel_lines lines;
    lines.told = line_index_.has_value();
    const std::string_view code = draft.code->content;
    const auto section = static_cast<std::uint32_t>(draft.code - image_->sections.data());
    line_counter counter(code, section, line_index_ ? &*line_index_ : nullptr);
    if (spills && (spills->at_most != spill_counts{} || spills->shared != spill_counts{})) {
        const std::optional<listed_spills> listed = sum_of_spills(code, draft.spills);
        lines.all_spills = spills->at_least == spills->at_most && spills->shared;
        if (!lines.all_spills || (listed && listed->local == spills->at_least)) {
            for (const std::uint32_t offset : draft.spills) counter.add_spill(offset);
        } else {
            for_each_local_access(code, [&](std::size_t offset) { counter.add_spill(offset); });
        }
    }
    lines.all_code = options_.lines == wanted_lines::of_all_code && line_index_ && sm_ >= 70;
    if (lines.all_code) counter.add_all();
    lines.uses = counter.take();
    if (line_index_ && !lines.uses.empty()) lines.places = line_index_->places();
    if (options_.memory == nullptr || options_.memory->take(lines))
        result_.kernels[index].analysis.lines = std::move(lines);
}

// ptxas gives every kernel of a module with extern __shared__ memory a section of shared memory with that alignment,
// without a symbol. Only PTX tells which of the kernels use it (`add_min_blocks`).
void cubin_reader::find_dynamic_shared(kernel_index index)
{
    const kernel_draft& draft = drafts_[index];
    std::optional<bool>& uses = result_.kernels[index].launches.uses_dynamic_shared;
    if (external_shared_)
        uses = true;
    else if (result_.relocatable || !draft.shared_section_bytes || draft.shared_section_alignment < external_alignment)
        uses = false;  // else its own variables may need the alignment
}

void cubin_reader::examine()
{
    cubin_examination examination{.bytes = bytes_,
                                  .kernels = result_.kernels,
                                  .symbols = std::vector<std::uint32_t>(drafts_.size()),
                                  .sections = std::vector<std::uint32_t>(drafts_.size()),
                                  .lines = line_index_ ? &*line_index_ : nullptr,
                                  .memory = options_.memory};
    for (std::uint32_t i = 0; i < kernel_of_symbol_.size(); ++i)
        if (kernel_of_symbol_[i] != no_kernel) examination.symbols[kernel_of_symbol_[i]] = i;
    overlap_budget_ = bytes_.size();  // the code is read again
    for (std::uint32_t i = 0; i < kernel_of_section_.size(); ++i)
        if (kernel_of_section_[i] != no_kernel && take(image_->sections[i].content.size(), image_->sections[i].offset))
            examination.sections[kernel_of_section_[i]] = i;
    options_.examine(examination);
}

// Called when all lines that a report can show are known.
void cubin_reader::limit_line_text()
{
    std::size_t left_out = 0;
    for (kernel_info& kernel : result_.kernels) {
        if (!kernel.analysis.lines || !kernel.analysis.lines->places) continue;
        const std::vector<std::uint32_t>& bytes = kernel.analysis.lines->places->text_bytes;
        std::uint64_t& all = kernel.analysis.lines->text_bytes;
        const auto add = [&](const auto& uses) {
            for (const auto& use : uses)
                if (use.place < bytes.size()) all += bytes[use.place];
        };
        add(kernel.analysis.lines->uses);
        if (kernel.analysis.pressure) add(kernel.analysis.pressure->live_at_peak);
        if (kernel.analysis.traffic) add(kernel.analysis.traffic->uses);
        if (options_.memory->take_line_text(all)) continue;
        kernel.analysis.lines.reset();
        ++left_out;
    }
    if (left_out > 0)
        complain(0, "the lines of " + std::to_string(left_out) +
                        " of its kernels are left out: with their chains of inlined calls they would be more text than "
                        "any real code has");
}

// The kernel named at the end of a section's name. ptxas also stores its index in the section header, which is faster
// than a look-up; images of other tools may not.
kernel_index cubin_reader::find(const elf_section& section, std::string_view kernel_name)
{
    const std::uint32_t code = section.info;
    const kernel_index said = code < kernel_of_section_.size() ? kernel_of_section_[code] : no_kernel;
    if (said != no_kernel && result_.kernels[said].name == kernel_name) return said;
    const auto found = kernel_of_name_.find(kernel_name);
    return found == kernel_of_name_.end() ? no_kernel : found->second;
}

bool cubin_reader::starts_with(const elf_symbol& symbol, std::string_view prefix) const
{
    const std::string_view names = image_->symbol_names;
    return symbol.name_offset < names.size() && names.substr(symbol.name_offset).starts_with(prefix);
}

// Compares the terminating zero, too. Does not search for the whole name, which can be as long as the image.
bool cubin_reader::is_called(const elf_symbol& symbol, std::string_view name) const
{
    const std::size_t end = std::size_t{symbol.name_offset} + name.size();
    return starts_with(symbol, name) && (end == image_->symbol_names.size() || image_->symbol_names[end] == '\0');
}

// Whether the symbol is $KERNEL$...
bool cubin_reader::is_callee(const elf_symbol& symbol, std::string_view kernel) const
{
    if (!starts_with(symbol, "$")) return false;
    const std::string_view rest = image_->symbol_names.substr(symbol.name_offset + 1);
    return rest.starts_with(kernel) && rest.substr(kernel.size()).starts_with('$');
}

std::optional<std::int64_t> cubin_reader::size_of(const elf_section& section)
{
    if (is_plausible(section.size)) return static_cast<std::int64_t>(section.size);
    complain(section.offset, "a section claims to have " + std::to_string(section.size) + " bytes");
    return std::nullopt;
}

std::optional<int> cubin_reader::small_number(std::uint32_t value, std::uint64_t offset)
{
    if (value <= 0xffff) return static_cast<int>(value);
    complain(offset, "an implausible number: " + std::to_string(value));
    return std::nullopt;
}

// Parts that are read once each cannot exceed the image in total. If many sections shared the same bytes, reading could
// become quadratic, and names larger than memory.
bool cubin_reader::take(std::size_t bytes, std::uint64_t offset)
{
    if (bytes > overlap_budget_) {
        complain(offset, "sections or names overlap; the rest is not read");
        overlap_budget_ = 0;
        return false;
    }
    overlap_budget_ -= bytes;
    return true;
}

}  // namespace

}  // namespace launchbox
