// SPDX-License-Identifier: Apache-2.0
#include "image/live_code.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "image/control_flow.hpp"
#include "image/elf.hpp"
#include "image/image_diagnostic.hpp"
#include "image/nv_info.hpp"

namespace launchbox {

namespace {

constexpr std::size_t code_step = 16;
constexpr std::uint32_t no_block = ~std::uint32_t{0};
constexpr unsigned stack_register = 1;

struct block {
    std::uint32_t begin = 0, end = 0;      // instructions
    register_set needed, replaced;         // read before they are written; written whatever the predicates say
    register_set live_in, live_after_end;  // the second: what a return or the end of the thread needs
    std::vector<std::uint32_t> next;       // blocks
};

// What every function may change, and what it leaves as it is, by the calling convention of the ABI: R1, R2, R16 to
// R31, and from R32 on every second four. nvdisasm goes by the same.
register_set kept_by_calls()
{
    register_set kept;
    for (unsigned number = 0; number < 255; ++number)
        if (number == stack_register || number == 2 || (number >= 16 && number < 32) ||
            (number >= 32 && (number >> 2 & 1) != 0))
            kept.general[number / 64] |= std::uint64_t{1} << (number % 64);
    return kept;
}

template <std::size_t N>
void fill_up(std::array<std::uint64_t, N>& words)
{
    bool above = false;
    for (std::size_t i = N; i-- > 0;) {
        if (above)
            words[i] = ~std::uint64_t{0};
        else if (words[i] != 0) {
            words[i] = ~std::uint64_t{0} >> std::countl_zero(words[i]);
            above = true;
        }
    }
}

// All registers up to the highest that is used.
register_set up_to_highest(register_set used)
{
    fill_up(used.general);
    fill_up(used.uniform);
    std::array<std::uint64_t, 1> predicates{used.predicates & 0x7f}, uniform{used.predicates >> 8};
    fill_up(predicates);
    fill_up(uniform);
    used.predicates = predicates[0] | uniform[0] << register_set::first_uniform_predicate;
    return used;
}

class live_analysis {
public:
    live_analysis(std::string_view code, int sm, const branch_tables& tables)
        : code_(code), sm_(sm), tables_(tables), decoder_(sm), count_(code.size() / code_step)
    {
    }

    live_code run();

private:
    void decode();
    void apply_calling_convention();
    void make_blocks();
    void add_successors(block& one, std::uint32_t last);
    void add_target(block& one, std::int64_t byte);
    void find_live_in(bool guarded_writes_replace);
    void sum_up(block& one, bool guarded_writes_replace) const;
    void flow_backwards();
    [[nodiscard]] register_set live_out(const block& one) const;
    void spread(const std::vector<register_set>& fewest);
    [[nodiscard]] instruction_word word_at(std::size_t i) const
    {
        instruction_word word;
        std::memcpy(&word.low, code_.data() + i * code_step, 8);
        std::memcpy(&word.high, code_.data() + i * code_step + 8, 8);
        return word;
    }
    [[nodiscard]] bool is_inside(std::int64_t byte) const
    {
        return byte >= 0 && static_cast<std::uint64_t>(byte) < count_ * code_step &&
               byte % static_cast<std::int64_t>(code_step) == 0;
    }
    [[nodiscard]] static bool is_guarded(instruction_word word) { return word.bits(12, 4) != 7; }

    std::string_view code_;
    int sm_;
    const branch_tables& tables_;
    operand_decoder decoder_;
    std::size_t count_;
    live_code result_;
    register_set used_;
    std::vector<std::pair<std::uint32_t, flow>> flows_;  // of the instructions that have one, rising
    std::vector<block> blocks_;
    std::vector<std::uint32_t> block_at_;  // of an instruction that begins one
};

live_code live_analysis::run()
{
    decode();
    apply_calling_convention();
    make_blocks();
    // As if a write under a predicate always came about: fewer live then. Where that makes no difference, what is live
    // does not depend on predicates.
    find_live_in(true);
    std::vector<register_set> fewest(blocks_.size());
    for (std::size_t b = 0; b < blocks_.size(); ++b) fewest[b] = live_out(blocks_[b]);
    find_live_in(false);
    spread(fewest);
    return std::move(result_);
}

void live_analysis::decode()
{
    result_.live.resize(count_);  // until the end: what is read
    result_.writes.resize(count_);
    instruction_operands operands;
    for (std::size_t i = 0; i < count_; ++i) {
        const instruction_word word = word_at(i);
        if (auto found = flow_of(word, static_cast<std::int64_t>(i * code_step), sm_)) {
            operands = found->operands;
            flows_.emplace_back(static_cast<std::uint32_t>(i), *found);
        } else if (!decoder_.decode(word, operands)) {
            if (result_.doubts.unknown_instructions++ == 0) result_.doubts.first_unknown = word.opcode();
            operands = {};
        }
        // Which predicates it writes, nvdisasm does not say: those before may be dead.
        if (constexpr std::uint32_t r2p = 0x004, form = 0x1ff; (word.opcode() & form) == r2p)
            ++result_.doubts.under_predicates;
        result_.live[i] = operands.reads;
        result_.writes[i] = operands.writes;
        used_ |= operands.reads;
        used_ |= operands.writes;
    }
}

void live_analysis::apply_calling_convention()
{
    const register_set kept = kept_by_calls();
    register_set changed = up_to_highest(used_);
    changed.remove(kept);
    for (const auto& [i, one] : flows_) {
        if (one.kind != flow_kind::call) continue;
        ++result_.doubts.calls;
        result_.live[i].general[0] |= 3;  // R0 and the stack
        result_.writes[i] |= changed;
    }
}

void live_analysis::make_blocks()
{
    std::vector<bool> begins(count_ + 1);
    if (count_ > 0) begins[0] = true;
    const auto mark = [&](std::int64_t byte) {
        if (is_inside(byte)) begins[static_cast<std::size_t>(byte) / code_step] = true;
    };
    for (const auto& [i, one] : flows_) {
        if (one.kind != flow_kind::next && one.kind != flow_kind::call) begins[i + 1] = true;
        if (one.target) mark(*one.target);
        if (one.kind != flow_kind::indirect_branch) continue;
        if (const auto table = tables_.find(i * code_step); table != tables_.end())
            for (const std::uint64_t byte : table->second) mark(static_cast<std::int64_t>(byte));
    }
    block_at_.assign(count_, no_block);
    for (std::size_t i = 0; i < count_; ++i) {
        if (begins[i]) {
            block_at_[i] = static_cast<std::uint32_t>(blocks_.size());
            blocks_.emplace_back().begin = static_cast<std::uint32_t>(i);
        }
        blocks_.back().end = static_cast<std::uint32_t>(i + 1);
    }
    for (block& one : blocks_) add_successors(one, one.end - 1);
}

void live_analysis::add_target(block& one, std::int64_t byte)
{
    if (is_inside(byte))
        one.next.push_back(block_at_[static_cast<std::size_t>(byte) / code_step]);
    else
        ++result_.doubts.unknown_targets;
}

void live_analysis::add_successors(block& one, std::uint32_t last)
{
    const auto found = std::ranges::lower_bound(flows_, last, {}, &std::pair<std::uint32_t, flow>::first);
    const bool has_flow = found != flows_.end() && found->first == last;
    const flow_kind kind = has_flow ? found->second.kind : flow_kind::next;
    register_set stack;
    stack.general[0] = std::uint64_t{1} << stack_register;
    const bool goes_on = kind == flow_kind::next || kind == flow_kind::call || found->second.conditional;
    if (goes_on) {
        if (one.end < count_)
            one.next.push_back(block_at_[one.end]);
        else
            one.live_after_end |= stack;
    }
    if (kind == flow_kind::branch) {
        add_target(one, *found->second.target);
        // What only fills up the end: a branch to itself, where the stack is taken for live.
        if (*found->second.target == static_cast<std::int64_t>(last * code_step)) one.live_after_end |= stack;
    } else if (kind == flow_kind::indirect_branch) {
        const auto table = tables_.find(std::uint64_t{last} * code_step);
        if (table == tables_.end())
            ++result_.doubts.unknown_targets;
        else
            for (const std::uint64_t byte : table->second) add_target(one, static_cast<std::int64_t>(byte));
    } else if (kind == flow_kind::end) {
        one.live_after_end |= stack;
    } else if (kind == flow_kind::leave) {
        register_set kept = up_to_highest(used_);
        kept &= kept_by_calls();
        one.live_after_end |= kept;
    }
}

void live_analysis::find_live_in(bool guarded_writes_replace)
{
    for (block& one : blocks_) {
        one.needed = one.replaced = one.live_in = {};
        sum_up(one, guarded_writes_replace);
    }
    flow_backwards();
}

void live_analysis::sum_up(block& one, bool guarded_writes_replace) const
{
    for (std::uint32_t i = one.end; i-- > one.begin;) {
        if (guarded_writes_replace || !is_guarded(word_at(i))) {
            one.needed.remove(result_.writes[i]);
            one.replaced |= result_.writes[i];
        }
        one.needed |= result_.live[i];
    }
}

register_set live_analysis::live_out(const block& one) const
{
    register_set live = one.live_after_end;
    for (const std::uint32_t next : one.next) live |= blocks_[next].live_in;
    return live;
}

void live_analysis::flow_backwards()
{
    std::vector<std::uint32_t> first(blocks_.size() + 1), from;
    for (const block& one : blocks_)
        for (const std::uint32_t next : one.next) ++first[next + 1];
    for (std::size_t i = 0; i + 1 < first.size(); ++i) first[i + 1] += first[i];
    from.resize(first.back());
    std::vector<std::uint32_t> filled(first.begin(), first.end());
    for (std::uint32_t b = 0; b < blocks_.size(); ++b)
        for (const std::uint32_t next : blocks_[b].next) from[filled[next]++] = b;

    std::vector<std::uint32_t> waiting(blocks_.size());
    std::vector<bool> waits(blocks_.size(), true);
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) waiting[b] = b;  // the last first
    while (!waiting.empty()) {
        const std::uint32_t b = waiting.back();
        waiting.pop_back();
        waits[b] = false;
        block& one = blocks_[b];
        register_set live = live_out(one);
        live.remove(one.replaced);
        live |= one.needed;
        if (live == one.live_in) continue;
        one.live_in = live;
        for (std::uint32_t i = first[b]; i < first[b + 1]; ++i)
            if (!waits[from[i]]) {
                waits[from[i]] = true;
                waiting.push_back(from[i]);
            }
    }
}

void live_analysis::spread(const std::vector<register_set>& fewest)
{
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const block& one = blocks_[b];
        register_set live = live_out(one), least = fewest[b];
        for (std::uint32_t i = one.end; i-- > one.begin;) {
            if (!is_guarded(word_at(i))) live.remove(result_.writes[i]);
            least.remove(result_.writes[i]);
            live |= result_.live[i];
            least |= result_.live[i];
            result_.live[i] = live;
            result_.live[i] |= result_.writes[i];
            register_set with_writes = least;
            with_writes |= result_.writes[i];
            if (with_writes != result_.live[i]) ++result_.doubts.under_predicates;
            result_.min_peak = std::max(result_.min_peak, with_writes.general_count());
            result_.peak = std::max(result_.peak, result_.live[i].general_count());
        }
    }
}

}  // namespace

branch_tables branch_tables_of(const elf_image& image, std::string_view kernel)
{
    constexpr std::uint32_t section_nv_info = 0x70000000;
    constexpr std::string_view prefix = ".nv.info.";
    constexpr std::size_t number_bytes = 4, head_numbers = 3;
    branch_tables tables;
    std::vector<image_diagnostic> ignored;
    for (const elf_section& section : image.sections) {
        if (section.type != section_nv_info || !section.name.starts_with(prefix) ||
            section.name.substr(prefix.size()) != kernel)
            continue;
        nv_info_reader reader(section.content, section.offset, ignored);
        for (nv_info_record record; reader.next(record);) {
            if (!record.is(nv_info_attribute::branch_targets)) continue;
            const std::string_view all = record.payload;
            const std::size_t numbers = all.size() / number_bytes;
            const auto number = [&](std::size_t i) { return read_number<std::uint32_t>(all, i * number_bytes); };
            for (std::size_t at = 0; numbers - at >= head_numbers;) {
                const std::size_t count = number(at + 2);
                if (count > numbers - at - head_numbers) break;
                std::vector<std::uint64_t>& targets = tables[number(at)];
                targets.clear();
                for (std::size_t i = 0; i < count; ++i) targets.push_back(number(at + head_numbers + i));
                at += head_numbers + count;
            }
        }
    }
    return tables;
}

live_code find_live_registers(std::string_view code, int sm, const branch_tables& tables)
{
    return live_analysis(code, sm, tables).run();
}

}  // namespace launchbox
