// SPDX-License-Identifier: Apache-2.0
#include "capture/folder/packed_memory.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/parallel.hpp"

namespace launchbox {

namespace {

constexpr int packing_level = 1;  // for gigabytes of memory, time matters more than the last percent
constexpr std::size_t packed_bytes = std::size_t{4} << 20;  // per core and step
constexpr std::size_t input_bytes = std::size_t{1} << 20;
// The window of zstd's own levels ends at 128 MiB; a file that needs a larger one is not ours.
constexpr int max_window_log = 27;

struct free_packer {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
struct free_unpacker {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// One zstd frame: a sequence of frames is a file that any zstd reader accepts.
std::string packed_piece(std::string_view piece)
{
    const std::unique_ptr<ZSTD_CCtx, free_packer> context(ZSTD_createCCtx());
    if (!context) throw std::bad_alloc();
    std::string packed(ZSTD_compressBound(piece.size()), '\0');
    const std::size_t bytes =
        ZSTD_compressCCtx(context.get(), packed.data(), packed.size(), piece.data(), piece.size(), packing_level);
    if (ZSTD_isError(bytes) != 0) throw error(std::string("zstd: ") + ZSTD_getErrorName(bytes));
    packed.resize(bytes);
    return packed;
}

}  // namespace

bool packs_well(std::string_view bytes)
{
    constexpr std::size_t samples = 16, sample_bytes = std::size_t{256} << 10;
    constexpr double well = 0.85;  // random floats between 0 and 1 end at 0.90
    if (bytes.size() < samples * sample_bytes * 4) return true;
    std::array<std::size_t, samples> packed{};
    run_parallel(samples, [&](std::size_t i) {
        packed[i] = packed_piece(bytes.substr(bytes.size() / samples * i, sample_bytes)).size();
    });
    return static_cast<double>(std::accumulate(packed.begin(), packed.end(), std::size_t{0})) <
           well * static_cast<double>(samples * sample_bytes);
}

std::uint64_t write_packed(const std::filesystem::path& file, std::string_view bytes)
{
    std::ofstream to(file, std::ios::binary | std::ios::trunc);
    XXH3_state_t sum;
    XXH3_64bits_reset(&sum);
    const auto check = [&] {
        if (!to)
            throw error(fmt::format("cannot write {}: {}", file.string(), std::strerror(errno)),
                        "make room on the disk, or name another folder with -o");
    };
    check();
    const std::size_t at_once = packed_bytes * std::max(1u, std::thread::hardware_concurrency());
    do {
        const std::string_view now = bytes.substr(0, at_once);
        bytes.remove_prefix(now.size());
        std::vector<std::string> packed(std::max<std::size_t>(1, (now.size() + packed_bytes - 1) / packed_bytes));
        run_parallel(packed.size() + 1, [&](std::size_t i) {
            if (i == 0)
                XXH3_64bits_update(&sum, now.data(), now.size());
            else
                packed[i - 1] = packed_piece(now.substr((i - 1) * packed_bytes, packed_bytes));
        });
        for (const std::string& piece : packed) {
            to.write(piece.data(), static_cast<std::streamsize>(piece.size()));
            check();
        }
    } while (!bytes.empty());
    to.close();
    check();
    return XXH3_64bits_digest(&sum);
}

namespace {

// Opening a pipe would block.
std::ifstream opened(const std::filesystem::path& file)
{
    refuse_irregular(file);
    return std::ifstream(file, std::ios::binary);
}

}  // namespace

struct packed_reader::impl {
    std::string file;
    std::uint64_t left, hash;
    bool is_packed;
    std::ifstream from;
    std::unique_ptr<ZSTD_DCtx, free_unpacker> context{ZSTD_createDCtx()};
    XXH3_state_t sum{};
    std::vector<char> input = std::vector<char>(input_bytes);
    ZSTD_inBuffer in{nullptr, 0, 0};
    bool frame_ended = false;

    [[noreturn]] void damaged(const std::string& what) const
    {
        throw error(fmt::format("{}: {}", file, what), "capture the launch again: launchbox capture -k NAME -o FOLDER");
    }

    void unpack(char* to, std::size_t bytes)
    {
        ZSTD_outBuffer out{to, bytes, 0};
        while (out.pos < out.size) {
            // Data still in zstd's window comes out without more input.
            const bool more = refill();
            const std::size_t before = out.pos, eaten = in.pos;
            const std::size_t state = ZSTD_decompressStream(context.get(), &out, &in);
            if (ZSTD_isError(state) != 0) damaged(std::string("damaged zstd data: ") + ZSTD_getErrorName(state));
            frame_ended = state == 0;
            if (!more && out.pos == before && in.pos == eaten) damaged("it is shorter than the capture says");
        }
    }

    void expect_end()
    {
        char beyond = 0;
        while (!frame_ended && refill()) {
            ZSTD_outBuffer rest{&beyond, 1, 0};
            const std::size_t state = ZSTD_decompressStream(context.get(), &rest, &in);
            if (ZSTD_isError(state) != 0) damaged(std::string("damaged zstd data: ") + ZSTD_getErrorName(state));
            if (rest.pos > 0) damaged("it is longer than the capture says");
            frame_ended = state == 0;
        }
        if (!frame_ended || refill()) damaged("its end differs from that of the capture");
    }

    // Reads as many packed bytes as are processed at once. False at the end.
    bool refill()
    {
        if (in.pos < in.size) return true;
        from.read(input.data(), static_cast<std::streamsize>(input.size()));
        in = {input.data(), static_cast<std::size_t>(from.gcount()), 0};
        return in.size > 0;
    }
};

packed_reader::packed_reader(const std::filesystem::path& file, std::uint64_t bytes, std::uint64_t hash)
    : packed_reader(file, bytes, hash, file.extension() == ".zst")
{
}

packed_reader::packed_reader(const std::filesystem::path& file, std::uint64_t bytes, std::uint64_t hash, bool is_packed)
    : impl_(std::make_unique<impl>(
          impl{.file = file.string(), .left = bytes, .hash = hash, .is_packed = is_packed, .from = opened(file)}))
{
    if (!impl_->from)
        throw error(fmt::format("cannot read {}: {}", impl_->file, std::strerror(errno != 0 ? errno : EINVAL)),
                    "the folder of a capture has to be complete");
    if (!impl_->context) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(impl_->context.get(), ZSTD_d_windowLogMax, max_window_log);
    XXH3_64bits_reset(&impl_->sum);
}

packed_reader::~packed_reader() = default;

void packed_reader::read(char* to, std::size_t bytes)
{
    impl& all = *impl_;
    if (bytes > all.left) all.damaged("its content is too short");
    if (all.is_packed)
        all.unpack(to, bytes);
    else if (!all.from.read(to, static_cast<std::streamsize>(bytes)))
        all.damaged("it is shorter than the capture says");
    XXH3_64bits_update(&all.sum, to, bytes);
    all.left -= bytes;
    if (all.left > 0) return;
    if (all.is_packed)
        all.expect_end();
    else if (all.from.peek() != std::ifstream::traits_type::eof())
        all.damaged("it is longer than the capture says");
    if (XXH3_64bits_digest(&all.sum) != all.hash)
        all.damaged("its bytes differ from the captured ones: the hash differs");
}

}  // namespace launchbox
