// SPDX-License-Identifier: Apache-2.0
#include "capture/launches/record_warnings.hpp"

#include <fmt/format.h>

#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

std::string sentence_of(const seen_note& note)
{
    using record::note_kind;
    switch (note.kind) {
        case note_kind::no_cupti:
            return fmt::format(
                "CUPTI was not found ({}): set {} to it, or install it with the CUDA toolkit or as nvidia-cuda-cupti",
                note.text, record::cupti_variable);
        case note_kind::cupti_too_old:
            return fmt::format("{} is older than CUDA 12.0: set {} to a later one", note.text, record::cupti_variable);
        case note_kind::other_profiler:
            return "another profiler is attached to the program: CUPTI supports one at a time; run it without the "
                   "other";
        case note_kind::cupti_failed:
            return fmt::format("CUPTI refused: {}", note.text);
        case note_kind::not_captured:
            return note.text;
    }
    return "an unknown note";
}

}  // namespace

void record_warnings::add(const seen_process& process)
{
    for (const seen_note& note : process.notes) ++processes_[sentence_of(note)];
    if (!process.damage.empty())
        ++processes_[process.process != 0
                         ? fmt::format("the record of process {} is truncated: {}", process.process, process.damage)
                         : "the record of a process cannot be read: " + process.damage];
    dropped_ += process.dropped;
    untimed_ += process.untimed;
    beyond_rows_ += process.beyond_rows;
    modules_not_kept_ += process.modules_not_kept;
    buffers_lost_ += process.buffers_lost;
    if (!process.ended && process.damage.empty())
        ++processes_[fmt::format("process {} did not end normally: its last launches may be missing", process.process)];
}

std::vector<std::string> record_warnings::all() const
{
    std::vector<std::string> lines;
    for (const auto& [sentence, processes] : processes_)
        lines.push_back(processes > 1 ? fmt::format("{} ({} processes)", sentence, processes) : sentence);
    const auto counted_line = [&](std::uint64_t count, const char* what) {
        if (count > 0) lines.push_back(with_commas(static_cast<std::int64_t>(count)) + what);
    };
    counted_line(dropped_, " launches are missing: CUPTI dropped their records");
    counted_line(untimed_, " launches had not ended when their process did: they are not counted");
    counted_line(beyond_rows_, " launches are missing: more kernels and shapes than a record holds, or a full disk");
    counted_line(modules_not_kept_, " modules could not be written to the temporary folder: is the disk full?");
    counted_line(buffers_lost_, " buffers of CUPTI's records were not read completely: the program had no memory left");
    return lines;
}

}  // namespace launchbox
