// SPDX-License-Identifier: Apache-2.0
#include "capture/record/record_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

namespace launchbox {

namespace {

using record::block_kind;

// A block's content and the data after it.
template <class Content>
struct content_and_text {
    Content content;
    std::string_view text;
};

template <class Content>
std::optional<content_and_text<Content>> as(std::string_view block)
{
    if (block.size() < sizeof(Content)) return std::nullopt;
    content_and_text<Content> result{};
    std::memcpy(&result.content, block.data(), sizeof(Content));
    result.text = block.substr(sizeof(Content));
    return result;
}

double duration_of(double ns)
{
    return std::isfinite(ns) && ns >= 0 ? ns : 0;
}

std::vector<std::string> words_of(std::string_view text)
{
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\0'), text.size());
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

bool read_process(std::string_view block, seen_process& to)
{
    const auto read = as<record::process_block>(block);
    if (!read || read->content.text_bytes > read->text.size()) return false;
    to.process = read->content.process;
    to.ended = read->content.ended != 0;
    to.cupti_version = read->content.cupti_version;
    to.driver_version = read->content.driver_version;
    to.dropped = read->content.dropped;
    to.untimed = read->content.untimed;
    to.beyond_rows = read->content.beyond_rows;
    to.modules_not_kept = read->content.modules_not_kept;
    to.buffers_lost = read->content.buffers_lost;
    to.command = words_of(read->text.substr(0, read->content.text_bytes));
    return true;
}

bool read_launches(std::string_view block, seen_process& to)
{
    const auto read = as<record::launches_block>(block);
    if (!read || read->content.name_bytes > read->text.size()) return false;
    const record::launches_block& row = read->content;
    seen_launches launches{.name = std::string(read->text.substr(0, row.name_bytes)),
                           .key = row.key,
                           .count = row.count,
                           .total_ns = duration_of(row.total_ns),
                           .min_ns = duration_of(row.min_ns),
                           .max_ns = duration_of(row.max_ns),
                           .first_ns = row.first_ns,
                           .last_ns = row.last_ns,
                           .sample_ns = {}};
    const std::size_t samples = std::min({row.samples, row.count, std::uint64_t{record::max_samples}});
    for (std::size_t i = 0; i < samples; ++i)
        launches.sample_ns.push_back(static_cast<float>(duration_of(static_cast<double>(row.sample_ns[i]))));
    std::sort(launches.sample_ns.begin(), launches.sample_ns.end());
    if (launches.count > 0) to.launches.push_back(std::move(launches));  // 0: killed before the first was written
    return true;
}

bool read_block(block_kind kind, std::string_view block, seen_process& to)
{
    switch (kind) {
        case block_kind::process:
            return read_process(block, to);
        case block_kind::device: {
            const auto read = as<record::device_block>(block);
            if (!read) return false;
            to.devices.push_back(read->content);
            to.devices.back().name.back() = '\0';
            return true;
        }
        case block_kind::module: {
            const auto read = as<record::module_block>(block);
            if (!read) return false;
            to.modules.push_back(read->content);
            return true;
        }
        case block_kind::launches:
            return read_launches(block, to);
        case block_kind::note: {
            const auto read = as<record::note_block>(block);
            if (!read || read->content.text_bytes > read->text.size()) return false;
            to.notes.push_back({read->content.kind, std::string(read->text.substr(0, read->content.text_bytes))});
            return true;
        }
        default:
            return false;
    }
}

}  // namespace

seen_process read_record(std::string_view bytes)
{
    seen_process result;
    if (bytes.empty()) {
        result.damage = "the disk was full";
        return result;
    }
    if (bytes.size() < record::magic.size() ||
        bytes.substr(0, record::magic.size()) != std::string_view(record::magic.data(), record::magic.size())) {
        result.damage = "it is not a record of this version";
        return result;
    }
    std::size_t place = record::magic.size();
    while (bytes.size() - place >= sizeof(record::block_header)) {
        record::block_header header{};
        std::memcpy(&header, bytes.data() + place, sizeof(header));
        const std::size_t segment_end =
            std::min(bytes.size(), (place / record::segment_bytes + 1) * record::segment_bytes);
        if (header.kind == block_kind::none) {  // the rest of this segment is empty
            place = segment_end;
            continue;
        }
        if (header.bytes < sizeof(header) || header.bytes % 8 != 0 || header.bytes > segment_end - place ||
            !read_block(header.kind, bytes.substr(place + sizeof(header), header.bytes - sizeof(header)), result)) {
            result.damage = fmt::format("it is damaged at byte {}", place);
            return result;
        }
        place += header.bytes;
    }
    return result;
}

}  // namespace launchbox
