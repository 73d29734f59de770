// SPDX-License-Identifier: Apache-2.0
#include "image/code/live_code.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "image/code/control_flow.hpp"

namespace launchbox {

namespace {

constexpr std::size_t code_step = 16;
constexpr std::uint32_t no_block = ~std::uint32_t{0};
constexpr unsigned stack_register = 1;

// From one label to the next. Branches may leave it in the middle; it is entered only at its beginning.
struct block {
    std::uint32_t begin = 0, end = 0;  // instructions
    std::uint32_t reached = 0;         // end of the reachable part: an unconditional branch ends it
    std::uint32_t first_way = 0;       // index into `ways_`; ends at the next block's
    register_set needed, live_in;      // `needed`: read in the block before they are certainly written
};

// An exit of a block.
struct way {
    // the branch instruction; if it is the last one, this may also be the fall-through
    std::uint32_t from = 0;
    std::uint32_t to = 0;  // block
    register_set written;  // from the beginning of the block up to here, under any predicates
};

// The registers that every function must preserve by the ABI's calling convention: R1, R2, R16 to R31, and from R32 on
// every second group of four. nvdisasm assumes the same.
register_set kept_by_calls()
{
    register_set kept;
    for (unsigned number = 0; number < 255; ++number)
        if (number == stack_register || number == 2 || (number >= 16 && number < 32) ||
            (number >= 32 && (number >> 2 & 1) != 0))
            kept.general[number / 64] |= std::uint64_t{1} << (number % 64);
    return kept;
}

register_set stack()
{
    register_set only;
    only.general[0] = std::uint64_t{1} << stack_register;
    return only;
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
    live_analysis(std::string_view code, int sm, const code_marks& marks)
        : code_(code), sm_(sm), marks_(marks), decoder_(sm), count_(code.size() / code_step)
    {
    }

    live_code run();

private:
    void decode();
    void apply_calling_convention();
    [[nodiscard]] register_set launched_with(register_set set) const;
    void mark_blocks();
    void make_ways();
    void leave(std::uint32_t i, const flow& leaving, const register_set& written);
    void add_way(std::uint32_t from, std::int64_t byte, const register_set& written);
    [[nodiscard]] std::span<const way> ways_of(std::size_t b) const;
    void step_back(std::uint32_t i, register_set& live) const;
    void find_needed();
    void flow_backwards();
    void spread();
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

    std::string_view code_;
    int sm_;
    const code_marks& marks_;
    operand_decoder decoder_;
    std::size_t count_;
    live_code result_;
    register_set used_;
    std::vector<std::pair<std::uint32_t, flow>> flows_;  // of the instructions that have one, in order
    std::vector<block> blocks_;
    std::vector<way> ways_;                // by block, then by instruction
    std::vector<std::uint32_t> block_at_;  // by instruction, if it begins one
    std::vector<bool> may_keep_;           // an instruction may keep old values in registers that it writes
};

live_code live_analysis::run()
{
    decode();
    apply_calling_convention();
    mark_blocks();
    make_ways();
    find_needed();
    flow_backwards();
    spread();
    return std::move(result_);
}

void live_analysis::decode()
{
    result_.live.resize(count_);  // for now: what is read
    result_.writes.resize(count_);
    may_keep_.resize(count_);
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
        // nvdisasm does not show which predicates it writes, so earlier values may be dead.
        if (constexpr std::uint32_t r2p = 0x004, form = 0x1ff; (word.opcode() & form) == r2p)
            ++result_.doubts.predicate_masks;
        // Uniform predicates do not count: nvdisasm assumes that guarded writes happen.
        constexpr std::uint32_t always = 7;
        may_keep_[i] = word.bits(12, 4) != always && !operands.guard_is_uniform;
        result_.live[i] = operands.reads;
        result_.writes[i] = operands.writes;
        used_ |= operands.reads;
        used_ |= operands.writes;
    }
}

void live_analysis::apply_calling_convention()
{
    const register_set kept = kept_by_calls();
    register_set changed = launched_with(up_to_highest(used_));
    changed.remove(kept);
    for (const auto& [i, one] : flows_) {
        if (one.kind != flow_kind::call) continue;
        ++result_.doubts.calls;
        result_.live[i].general[0] |= 3;  // R0 and the stack
        result_.writes[i] |= changed;
    }
}

// Limits the general registers to those that the kernel is launched with, if known.
register_set live_analysis::launched_with(register_set set) const
{
    if (marks_.registers == 0) return set;
    for (std::size_t number = marks_.registers; number < 64 * set.general.size(); ++number)
        set.general[number / 64] &= ~(std::uint64_t{1} << (number % 64));
    return set;
}

// Labels are the targets of branches, calls and BSSY, and those listed in the image. Neither a call nor a predicated
// branch ends a block: nvdisasm, whose live ranges are reproduced here, continues to the next label.
void live_analysis::mark_blocks()
{
    std::vector<bool> begins(count_ + 1);
    if (count_ > 0) begins[0] = true;
    const auto mark = [&](std::int64_t byte) {
        if (is_inside(byte)) begins[static_cast<std::size_t>(byte) / code_step] = true;
    };
    for (const std::uint64_t byte : marks_.labels) mark(static_cast<std::int64_t>(byte));
    for (const auto& [i, one] : flows_) {
        if (one.target) mark(*one.target);
        if (one.kind != flow_kind::indirect_branch) continue;
        if (const auto table = marks_.branches.find(i * code_step); table != marks_.branches.end())
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
}

void live_analysis::make_ways()
{
    auto next_flow = flows_.begin();
    for (block& one : blocks_) {
        one.first_way = static_cast<std::uint32_t>(ways_.size());
        register_set written;
        bool goes_on = true;
        std::uint32_t i = one.begin;
        for (; goes_on && i < one.end; ++i) {
            if (next_flow != flows_.end() && next_flow->first == i) {
                leave(i, next_flow->second, written);
                goes_on = next_flow++->second.goes_on();
            }
            written |= result_.writes[i];
        }
        if (goes_on) add_way(i - 1, static_cast<std::int64_t>(i * code_step), written);
        for (one.reached = i; i < one.end; ++i) result_.live[i] = result_.writes[i] = {};
        while (next_flow != flows_.end() && next_flow->first < one.end) ++next_flow;
    }
}

void live_analysis::leave(std::uint32_t i, const flow& leaving, const register_set& written)
{
    const std::uint64_t byte = std::uint64_t{i} * code_step;
    switch (leaving.kind) {
        case flow_kind::branch:
            add_way(i, *leaving.target, written);
            // Padding at the end: a branch to itself, at which the stack counts as live.
            if (*leaving.target == static_cast<std::int64_t>(byte)) result_.live[i] |= stack();
            break;
        case flow_kind::indirect_branch:
            if (const auto table = marks_.branches.find(byte); table != marks_.branches.end())
                for (const std::uint64_t target : table->second) add_way(i, static_cast<std::int64_t>(target), written);
            else
                ++result_.doubts.unknown_targets;
            break;
        case flow_kind::end:
            result_.live[i] |= stack();
            break;
        case flow_kind::leave: {
            register_set kept = kept_by_calls();
            if (marks_.registers == 0) kept &= up_to_highest(used_);
            result_.live[i] |= launched_with(kept);
            break;
        }
        case flow_kind::next:
        case flow_kind::call:
            break;
    }
}

void live_analysis::add_way(std::uint32_t from, std::int64_t byte, const register_set& written)
{
    if (is_inside(byte))
        ways_.push_back({from, block_at_[static_cast<std::size_t>(byte) / code_step], written});
    else if (byte == static_cast<std::int64_t>(count_ * code_step))
        result_.live[from] |= stack();
    else
        ++result_.doubts.unknown_targets;
}

std::span<const way> live_analysis::ways_of(std::size_t b) const
{
    const std::size_t end = b + 1 < blocks_.size() ? blocks_[b + 1].first_way : ways_.size();
    return {ways_.data() + blocks_[b].first_way, ways_.data() + end};
}

// Computes the live registers before an instruction from those after it.
void live_analysis::step_back(std::uint32_t i, register_set& live) const
{
    if (!may_keep_[i]) live.remove(result_.writes[i]);
    live |= result_.live[i];
}

void live_analysis::find_needed()
{
    for (block& one : blocks_)
        for (std::uint32_t i = one.reached; i-- > one.begin;) step_back(i, one.needed);
}

void live_analysis::flow_backwards()
{
    std::vector<std::uint32_t> first(blocks_.size() + 1), from(ways_.size());
    for (const way& one : ways_) ++first[one.to + 1];
    for (std::size_t i = 0; i + 1 < first.size(); ++i) first[i + 1] += first[i];
    std::vector<std::uint32_t> filled(first.begin(), first.end());
    for (std::uint32_t b = 0; b < blocks_.size(); ++b)
        for (const way& one : ways_of(b)) from[filled[one.to]++] = b;

    std::vector<std::uint32_t> waiting(blocks_.size());
    std::vector<bool> waits(blocks_.size(), true);
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) waiting[b] = b;  // last block first
    while (!waiting.empty()) {
        const std::uint32_t b = waiting.back();
        waiting.pop_back();
        waits[b] = false;
        register_set live = blocks_[b].needed;
        for (const way& one : ways_of(b)) {
            register_set behind = blocks_[one.to].live_in;
            behind.remove(one.written);
            live |= behind;
        }
        if (live == blocks_[b].live_in) continue;
        blocks_[b].live_in = live;
        for (std::uint32_t i = first[b]; i < first[b + 1]; ++i)
            if (!waits[from[i]]) {
                waits[from[i]] = true;
                waiting.push_back(from[i]);
            }
    }
}

void live_analysis::spread()
{
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const std::span<const way> ways = ways_of(b);
        auto next_way = ways.rbegin();
        register_set live;
        for (std::uint32_t i = blocks_[b].reached; i-- > blocks_[b].begin;) {
            for (; next_way != ways.rend() && next_way->from == i; ++next_way) live |= blocks_[next_way->to].live_in;
            step_back(i, live);
            result_.live[i] = live;
            result_.live[i] |= result_.writes[i];
        }
    }
}

}  // namespace

live_code find_live_registers(std::string_view code, int sm, const code_marks& marks)
{
    return live_analysis(code, sm, marks).run();
}

}  // namespace launchbox
