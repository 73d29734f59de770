#include "image/cubin.hpp"

#define XXH_INLINE_ALL  // the library is one header
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "image/cubin_identity.hpp"
#include "image/elf.hpp"
#include "image/nv_info.hpp"
#include "image/spills.hpp"

namespace launchbox {

namespace {

constexpr std::uint32_t section_nv_info = 0x70000000;  // the shadow sections of sm_100 and later have other types
constexpr std::uint8_t symbol_is_entry = 0x10;
constexpr std::uint32_t unknown_stack = 0xffffffff;
constexpr std::int64_t max_section_bytes = std::int64_t{1} << 53;  // whole numbers in JSON end there
constexpr int annotates_spills_from = 128;  // CUDA 12.8; before, no annotation does not mean no spill

constexpr bool is_plausible(std::uint64_t bytes)
{
    return bytes <= static_cast<std::uint64_t>(max_section_bytes);
}

// What is read about a kernel and not yet a fact of `kernel_info`.
struct kernel_draft {
    kernel_info kernel;
    std::uint64_t offset = 0;  // of its symbol
    const elf_section* code = nullptr;
    std::optional<std::uint64_t> shared_section_bytes;
    bool has_info = false;            // a section .nv.info.KERNEL
    bool has_register_count = false;  // ptxas wrote the image; hand-assembled kernels lack the record
    bool has_callee = false, has_call_stack = false;
    bool shared_scratch = false;
    std::vector<std::uint32_t> spills;
    std::uint32_t features = 0;  // bits of `feature_names`
};

// What the records that only say "used" stand for, by their order in the answer. The record that NVIDIA's tools call
// COOP_GROUP_INSTR_OFFSETS is there for every shuffle, vote and __syncwarp: it does not tell of cooperative launches.
// The record of wmma is there for nvcuda::wmma alone: mma.sync and wgmma use the tensor cores and leave no record.
struct feature {
    nv_info_attribute attribute;
    const char* name;
};
constexpr std::array<feature, 7> feature_names{{{nv_info_attribute::register_reconfiguration, "setmaxnreg"},
                                                {nv_info_attribute::tensor_memory_1, "tensor_memory"},
                                                {nv_info_attribute::tensor_memory_2, "tensor_memory_pair"},
                                                {nv_info_attribute::wmma_used, "wmma"},
                                                {nv_info_attribute::memory_barriers, "memory_barriers"},
                                                {nv_info_attribute::warp_sync_offsets, "warp_synchronisation"},
                                                {nv_info_attribute::shared_scratch, "shared_memory_spilling"}}};

std::uint32_t feature_bit(const nv_info_record& record)
{
    for (std::size_t i = 0; i < feature_names.size(); ++i)
        if (record.is(feature_names[i].attribute)) return std::uint32_t{1} << i;
    return 0;
}

class cubin_reader {
public:
    cubin_reader(std::string_view bytes, const std::string& file, const cubin_options& options)
        : file_(file), options_(options), overlap_budget_(bytes.size()), image_(read_elf(bytes, result_.problems))
    {
    }

    cubin_contents read();

private:
    void find_kernels();
    void add_kernel(const elf_symbol& symbol, const std::string_view name);
    void read_section(const elf_section& section);
    void read_constant_section(const elf_section& section);
    void read_module_info(const elf_section& section);
    void read_kernel_info(const elf_section& section, kernel_draft& draft);
    void finish(kernel_draft& draft);

    kernel_draft* find(std::string_view kernel_name);
    [[nodiscard]] bool starts_with(const elf_symbol& symbol, std::string_view prefix) const;
    std::optional<std::int64_t> size_of(const elf_section& section);
    std::optional<int> small_number(std::uint32_t value, std::uint64_t offset);
    bool take(std::size_t bytes, std::uint64_t offset);
    void problem(std::uint64_t offset, std::string what) { add_problem(result_.problems, offset, std::move(what)); }

    cubin_contents result_;  // first: its problems are filled while image_ is made
    const std::string& file_;
    const cubin_options options_;
    std::size_t overlap_budget_;
    std::optional<elf_image> image_;
    int sm_ = 0;                        // 0: not known
    std::uint64_t shared_reserve_ = 0;  // that the sections of shared memory include
    std::vector<kernel_draft> drafts_;
    std::unordered_map<std::string_view, std::size_t> draft_of_name_;
    std::unordered_map<std::uint32_t, std::size_t> draft_of_symbol_, draft_of_section_;
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
        result_.problems = {{18, "not a cubin: an ELF image for another machine"}};
        return std::move(result_);
    }
    const cubin_identity identity = identify_cubin(*image_, result_.problems);
    sm_ = identity.sm;
    result_.architecture = identity.architecture;
    result_.virtual_architecture = identity.virtual_architecture;
    result_.toolkit_version = identity.toolkit_version;
    result_.relocatable = image_->type == elf::type_relocatable;
    find_kernels();
    for (const elf_section& section : image_->sections) read_section(section);
    for (kernel_draft& draft : drafts_) {
        finish(draft);
        result_.kernels.push_back(std::move(draft.kernel));
    }
    return std::move(result_);
}

void cubin_reader::find_kernels()
{
    for (std::uint32_t i = 0; i < image_->symbols.size(); ++i) {
        const elf_symbol& symbol = image_->symbols[i];
        const bool entry = symbol.type == elf::symbol_function && (symbol.other & symbol_is_entry) != 0;
        if (entry && symbol.section != 0) {
            const std::string_view name = image_->symbol_name(symbol);
            if (!take(name.size(), symbol.offset)) return;
            if (drafts_.size() == max_kernels_per_image) {
                problem(symbol.offset, "more than " + std::to_string(max_kernels_per_image) + " kernels");
                return;
            }
            if (name.empty() || draft_of_name_.contains(name)) {
                problem(symbol.offset, "a kernel without a name of its own");
                continue;
            }
            draft_of_symbol_[i] = drafts_.size();
            add_kernel(symbol, name);
        } else if (sm_ >= 90 && !result_.relocatable && starts_with(symbol, ".nv.reservedSmem.")) {
            // Images linked for sm_90 and later by CUDA 12.3 and later count the system's 1,024 bytes as the kernel's.
            shared_reserve_ = 1024;
        }
    }
    for (const elf_symbol& symbol : image_->symbols) {
        if (symbol.type != elf::symbol_function || (symbol.other & symbol_is_entry) != 0) continue;
        const auto found = draft_of_section_.find(symbol.section);
        if (found == draft_of_section_.end()) continue;
        // $KERNEL$FUNCTION is a function of the user's; $__internal_0_$NAME, a slow path of the compiler's own, has no
        // stack.
        kernel_draft& draft = drafts_[found->second];
        draft.has_callee |= starts_with(symbol, "$" + draft.kernel.name + "$");
    }
}

void cubin_reader::add_kernel(const elf_symbol& symbol, const std::string_view name)
{
    draft_of_name_[name] = drafts_.size();
    draft_of_section_[symbol.section] = drafts_.size();
    kernel_draft& draft = drafts_.emplace_back();
    draft.offset = symbol.offset;
    draft.kernel.name = name;
    draft.kernel.architecture = result_.architecture;
    draft.kernel.virtual_architecture = result_.virtual_architecture;
    draft.kernel.source = {.file = file_, .container = "cubin", .entry = {}};
    draft.kernel.relocatable = result_.relocatable;
    if (symbol.section < image_->sections.size())
        draft.code = &image_->sections[symbol.section];
    else
        problem(symbol.offset,
                "a kernel is said to be in section " + std::to_string(symbol.section) + ", which is not there");
}

void cubin_reader::read_section(const elf_section& section)
{
    constexpr std::string_view info = ".nv.info", kernel_info = ".nv.info.", shared = ".nv.shared.",
                               constant = ".nv.constant";
    const std::string_view name = section.name;
    if (name == ".nv.global" || name == ".nv.global.init") {
        // An image has one of each; a hostile one has thousands, and the sum must not overflow.
        result_.global_bytes = std::min(max_section_bytes, result_.global_bytes + size_of(section).value_or(0));
    } else if (name.starts_with(constant)) {
        read_constant_section(section);
    } else if (name.starts_with(shared)) {
        if (kernel_draft* draft = find(name.substr(shared.size()))) draft->shared_section_bytes = section.size;
    } else if (section.type == section_nv_info && name == info) {
        read_module_info(section);
    } else if (section.type == section_nv_info && name.starts_with(kernel_info)) {
        if (kernel_draft* draft = find(name.substr(kernel_info.size()))) read_kernel_info(section, *draft);
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
    else if (kernel_draft* draft = rest.front() == '.' ? find(rest.substr(1)) : nullptr)
        banks = &draft->kernel.constant_banks;
    if (banks == nullptr) return;
    const auto place = std::lower_bound(banks->begin(), banks->end(), bank,
                                        [](const constant_bank& other, int value) { return other.bank < value; });
    if (place != banks->end() && place->bank == bank)
        problem(section.offset, "constant bank " + std::to_string(bank) + " is there twice");
    else if (const auto bytes = size_of(section))
        banks->insert(place, {bank, *bytes});
}

void cubin_reader::read_module_info(const elf_section& section)
{
    using enum nv_info_attribute;
    if (!take(section.content.size(), section.offset)) return;
    for (const nv_info_record& record : read_nv_info(section.content, section.offset, result_.problems)) {
        if (!record.is(register_count) && !record.is(frame_size) && !record.is(min_stack_size)) continue;
        const auto pair = record.pair();
        if (!pair) {
            problem(record.offset, "an attribute record is too short");
            continue;
        }
        const auto [symbol, value] = *pair;
        const auto found = draft_of_symbol_.find(symbol);
        if (found == draft_of_symbol_.end()) continue;  // of a device function
        kernel_draft& draft = drafts_[found->second];
        if (record.is(register_count)) {
            draft.has_register_count = true;
            draft.kernel.registers = small_number(value, record.offset);
        } else if (record.is(frame_size)) {
            draft.kernel.stack_frame_bytes = value;
        } else if (value == unknown_stack) {
            draft.kernel.stack_unbounded = true;
        } else {
            draft.kernel.cumulative_stack_bytes = value;
        }
    }
}

void cubin_reader::read_kernel_info(const elf_section& section, kernel_draft& draft)
{
    using enum nv_info_attribute;
    if (!take(section.content.size(), section.offset)) return;
    draft.has_info = true;
    kernel_info& kernel = draft.kernel;
    for (const nv_info_record& record : read_nv_info(section.content, section.offset, result_.problems)) {
        draft.features |= feature_bit(record);
        switch (static_cast<nv_info_attribute>(record.attribute)) {
            case max_threads:
                kernel.max_threads = record.triple();
                break;
            case required_threads:
                kernel.required_threads = record.triple();
                break;
            case cluster_blocks:
                kernel.cluster = record.triple();
                break;
            case max_cluster_blocks:
                if (const auto blocks = record.number())
                    kernel.max_cluster_blocks = small_number(*blocks, record.offset);
                break;
            case parameter_size:
                kernel.parameter_bytes = record.value;
                break;
            case max_registers:
                kernel.register_cap = record.value;
                break;
            case barriers:
                kernel.barriers = record.value;
                break;
            case call_return_stack_size:
                draft.has_call_stack = true;
                break;
            case shared_scratch:
                draft.shared_scratch = true;
                break;
            case annotations:
                for (std::size_t at = 0; record.payload.size() - at >= 8; at += 8)
                    if (read_number<std::uint32_t>(record.payload, at) == 1)
                        draft.spills.push_back(read_number<std::uint32_t>(record.payload, at + 4));
                break;
            case toolkit_version:
                if (const auto version = record.number())
                    kernel.toolkit_version = small_number(*version, record.offset);
                if (!result_.toolkit_version) result_.toolkit_version = kernel.toolkit_version;
                break;
            default:
                break;
        }
    }
}

// The values that need more than one record.
void cubin_reader::finish(kernel_draft& draft)
{
    kernel_info& kernel = draft.kernel;
    const bool by_ptxas = draft.has_info && draft.has_register_count;
    if (draft.code != nullptr) {
        kernel.code_bytes = size_of(*draft.code);
        // Images without a register count have the number in the section header up to sm_89; 0 from then on.
        const std::uint32_t registers = draft.code->info >> 24;
        if (!draft.has_register_count && registers > 0) kernel.registers = static_cast<int>(registers);
        if (!kernel.barriers && image_->abi_version == 7)
            kernel.barriers = static_cast<int>(draft.code->flags >> 20 & 0x7f);
    }
    if (!kernel.barriers && by_ptxas) kernel.barriers = 0;
    if (!kernel.toolkit_version) kernel.toolkit_version = result_.toolkit_version;
    for (std::size_t i = 0; i < feature_names.size(); ++i)
        if ((draft.features >> i & 1) != 0) kernel.features.emplace_back(feature_names[i].name);
    if (!kernel.parameter_bytes && draft.has_info) kernel.parameter_bytes = 0;

    const std::uint64_t shared = draft.shared_section_bytes.value_or(shared_reserve_);
    if (!is_plausible(shared) || shared < shared_reserve_)
        problem(draft.offset, "a kernel is said to have " + std::to_string(shared) + " bytes of shared memory");
    else if (sm_ > 0)
        kernel.static_shared_bytes = static_cast<std::int64_t>(shared - shared_reserve_);
    if (sm_ > 0 && !result_.relocatable) kernel.reserved_shared_bytes = static_cast<std::int64_t>(shared_reserve_);

    // ptxas writes 0 where it cannot tell, as for recursion; only a callee shows that it may not mean 0.
    if (draft.has_callee && draft.has_call_stack && kernel.cumulative_stack_bytes == 0)
        kernel.cumulative_stack_bytes.reset();

    if (draft.code == nullptr) return;
    const std::string_view code = draft.code->content;
    const bool count = sm_ >= 70 && !draft.spills.empty();
    const bool readable = !code.empty() && (count || options_.hash_code) && take(code.size(), draft.code->offset);
    if (readable && options_.hash_code) kernel.code_hash = XXH3_64bits(code.data(), code.size());
    std::optional<spill_bytes> spills;
    if (sm_ >= 70 && draft.spills.empty() && by_ptxas && result_.toolkit_version >= annotates_spills_from)
        spills = spill_bytes{};
    else if (readable && count)
        spills = count_spills(code, draft.spills, draft.shared_scratch);
    if (spills) {
        kernel.spill_store_bytes = spills->stores;
        kernel.spill_load_bytes = spills->loads;
    }
}

kernel_draft* cubin_reader::find(std::string_view kernel_name)
{
    const auto found = draft_of_name_.find(kernel_name);
    return found == draft_of_name_.end() ? nullptr : &drafts_[found->second];
}

bool cubin_reader::starts_with(const elf_symbol& symbol, std::string_view prefix) const
{
    const std::string_view names = image_->symbol_names;
    return symbol.name_offset < names.size() && names.substr(symbol.name_offset).starts_with(prefix);
}

std::optional<std::int64_t> cubin_reader::size_of(const elf_section& section)
{
    if (is_plausible(section.size)) return static_cast<std::int64_t>(section.size);
    problem(section.offset, "a section is said to have " + std::to_string(section.size) + " bytes");
    return std::nullopt;
}

std::optional<int> cubin_reader::small_number(std::uint32_t value, std::uint64_t offset)
{
    if (value <= 0xffff) return static_cast<int>(value);
    problem(offset, "an implausible number: " + std::to_string(value));
    return std::nullopt;
}

// Parts that are read once each sum up to at most the image. An image in which many sections share the same bytes could
// otherwise make reading it quadratic and its names larger than memory.
bool cubin_reader::take(std::size_t bytes, std::uint64_t offset)
{
    if (bytes > overlap_budget_) {
        problem(offset, "sections or names overlap; the rest is not read");
        overlap_budget_ = 0;
        return false;
    }
    overlap_budget_ -= bytes;
    return true;
}

}  // namespace

}  // namespace launchbox
