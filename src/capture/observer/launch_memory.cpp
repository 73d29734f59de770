// Copies the memory that a launch can reach, before and after it.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "capture/observer/launch_capture.hpp"
#include "capture/observer/program_launch.hpp"
#include "capture/record/launch_format.hpp"
#include "capture/record/no_size_signal.hpp"

namespace launchbox {

namespace {

constexpr std::size_t piece_bytes = std::size_t{16} << 20, max_parameter_bytes = 64 << 10, max_parameters = 4096;

std::string decimal_text(std::uint64_t number)
{
    return std::to_string(number);
}

std::string hex(std::uint64_t number)
{
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%" PRIx64, number);
    return text.data();
}

constexpr const char* no_room = "the launch was not captured: there is no room on the disk for its memory";

bool write_all(int file, const unsigned char* bytes, std::size_t size);

// Runs one step at a time on a thread of its own, which blocks all signals; on this thread if no other can be started.
class concurrent_step {
public:
    template <class Step>
    void start(Step step)
    {
        const auto run = [this, step] {
            try {
                result_ = step();
            } catch (...) {
                failure_ = std::current_exception();
            }
        };
        sigset_t all, before;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before);
        try {
            thread_ = std::thread(run);
        } catch (const std::exception&) {
            run();
        }
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    ~concurrent_step()
    {
        if (thread_.joinable()) thread_.join();
    }
    concurrent_step() = default;
    concurrent_step(const concurrent_step&) = delete;
    concurrent_step& operator=(const concurrent_step&) = delete;

    // The result of the last step; true if there was none. Rethrows its exception.
    bool finish()
    {
        if (thread_.joinable()) thread_.join();
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
        return result_;
    }

private:
    std::thread thread_;
    std::exception_ptr failure_;
    bool result_ = true;
};

class copied_file {
public:
    copied_file(const std::string& name, int flags) : file_(::open(name.c_str(), flags | O_CLOEXEC, 0600)) {}
    ~copied_file()
    {
        if (file_ >= 0) ::close(file_);
    }
    copied_file(const copied_file&) = delete;
    copied_file& operator=(const copied_file&) = delete;

    [[nodiscard]] bool write(std::span<const unsigned char> bytes) const
    {
        return file_ >= 0 && write_all(file_, bytes.data(), bytes.size());
    }
    [[nodiscard]] bool read(std::size_t at, std::span<unsigned char> to) const
    {
        while (!to.empty()) {
            const ssize_t got = ::pread(file_, to.data(), to.size(), static_cast<off_t>(at));
            if (got <= 0) return false;
            at += static_cast<std::size_t>(got);
            to = to.subspan(static_cast<std::size_t>(got));
        }
        return true;
    }

private:
    const int file_;
};

bool write_all(int file, const unsigned char* bytes, std::size_t size)
{
    while (size > 0) {
        const ssize_t written = ::write(file, bytes, size);
        if (written <= 0) return false;
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
    return true;
}

}  // namespace

void launch_capture::before(const launch& current)
{
    if (const CUresult waited = driver_.synchronize(); waited != CUDA_SUCCESS)
        throw cannot_capture{"the launch was not captured: waiting for earlier work ended with error " +
                             decimal_text(waited) +
                             (waited == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                                  ? ", since another stream was being captured into a graph: try --nth"
                                  : "")};
    take_arguments(current);
    take_variables();
    look_for_pointers(arguments_);
    refuse_foreign_pointers();
    if (wanted_.all_memory) {
        const std::lock_guard guard(lock_);
        for (const memory_range& range : memory_.all())
            if (known_ranges_.insert(range.address).second)
                kept_.push_back({"memory", kept_.size(), range.address, range.bytes, range.kind, {}, false});
    }
    take_memory();
}

void launch_capture::take_arguments(const launch& current)
{
    CUfunction function = current.function;
    std::size_t offset = 0, bytes = 0, end = 0;
    CUresult told = driver_.parameter(function, 0, &offset, &bytes);
    if (told != CUDA_SUCCESS) {  // a CUkernel may be given as a CUfunction
        CUfunction of_kernel = nullptr;
        if (driver_.function_of_kernel(&of_kernel, reinterpret_cast<CUkernel>(function)) == CUDA_SUCCESS)
            function = of_kernel;
        told = driver_.parameter(function, 0, &offset, &bytes);
    }
    for (std::size_t i = 0; told == CUDA_SUCCESS && i < max_parameters;
         told = driver_.parameter(function, ++i, &offset, &bytes)) {
        if (bytes > max_parameter_bytes || offset > max_parameter_bytes) break;
        parameters_.emplace_back(offset, bytes);
        end = std::max(end, offset + bytes);
    }
    arguments_.assign(end, 0);
    if (current.parameters != nullptr) {
        for (std::size_t i = 0; i < parameters_.size(); ++i)
            if (current.parameters[i] != nullptr)
                std::memcpy(arguments_.data() + parameters_[i].first, current.parameters[i], parameters_[i].second);
    } else if (current.extra != nullptr) {
        const void* buffer = nullptr;
        std::size_t size = 0;
        for (void** word = current.extra; *word != CU_LAUNCH_PARAM_END; word += 2) {
            if (*word == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = word[1];
            if (*word == CU_LAUNCH_PARAM_BUFFER_SIZE) size = *static_cast<const std::size_t*>(word[1]);
        }
        if (buffer != nullptr) std::memcpy(arguments_.data(), buffer, std::min(size, arguments_.size()));
    }
    constexpr std::array wanted{CU_FUNC_ATTRIBUTE_NUM_REGS,
                                CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
                                CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES};
    for (std::size_t i = 0; i < wanted.size(); ++i) driver_.attribute(&attributes_[i], wanted[i], function);

    find_library(current.function);
    if (driver_.module_of(&module_, function) != CUDA_SUCCESS) {
        module_ = nullptr;
        return;
    }
    std::set<std::string> names;
    {
        const std::lock_guard guard(lock_);
        for (const known_module& known : modules_)
            if (known.kernels.contains(std::string_view(current.name)))
                names.insert(known.variables.begin(), known.variables.end());
    }
    // Without the lock: looking up a variable may load a module, which calls `loaded` on this thread.
    for (const std::string& name : names) {
        CUdeviceptr address = 0;
        std::size_t size = 0;
        if (driver_.variable(&address, &size, module_, name.c_str()) != CUDA_SUCCESS || size == 0) continue;
        variables_at_[address] = kept_.size();
        kept_.push_back({"variable", kept_.size(), address, size, "variable", name, false});
    }
}

// Kernels of the runtime belong to libraries: a launch uses the kernel itself, or a function obtained from it.
void launch_capture::find_library(CUfunction function)
{
    CUkernel of_function = nullptr;
    {
        const std::lock_guard guard(lock_);
        of_function = images_.kernel_of(function);
    }
    if (driver_.library_of == nullptr) return;
    for (const CUkernel kernel : {of_function, reinterpret_cast<CUkernel>(function)})
        if (library_ == nullptr && kernel != nullptr && driver_.library_of(&library_, kernel) != CUDA_SUCCESS)
            library_ = nullptr;
}

void launch_capture::take_variables()
{
    const std::size_t count = kept_.size();
    for (std::size_t i = 0; i < count; ++i) {
        const kept_memory variable = kept_[i];
        copy_before(variable);
    }
}

// The list grows during the loop, since buffers may point to others.
void launch_capture::take_memory()
{
    for (std::size_t i = 0; i < kept_.size(); ++i) {
        if (kept_[i].group != "memory") continue;
        const kept_memory memory = kept_[i];
        copy_before(memory);
    }
}

void launch_capture::look_for_pointers(std::span<const unsigned char> bytes)
{
    CUdeviceptr lowest = 0, highest = 0, lowest_pinned = 0, highest_pinned = 0;
    {
        const std::lock_guard guard(lock_);
        lowest = memory_.lowest();
        highest = memory_.highest();
        lowest_pinned = memory_.lowest_pinned();
        highest_pinned = memory_.highest_pinned();
    }
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
        CUdeviceptr word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        if (word >= lowest && word < highest) look_up(word);
        if (word >= lowest_pinned && word < highest_pinned) look_up_pinned(word);
        if (variables_at_.empty() || word < variables_at_.begin()->first) continue;
        const auto variable = std::prev(variables_at_.upper_bound(word));
        kept_memory& of = kept_[variable->second];
        if (word - of.address < of.bytes) of.referenced = true;
    }
}

void launch_capture::look_up(CUdeviceptr address)
{
    const std::lock_guard guard(lock_);
    const memory_range range = memory_.find(address);
    if (range.bytes > 0 && known_ranges_.insert(range.address).second)
        kept_.push_back({"memory", kept_.size(), range.address, range.bytes, range.kind, {}, false});
}

void launch_capture::look_up_pinned(CUdeviceptr address)
{
    const std::lock_guard guard(lock_);
    if (memory_.is_pinned(address)) ++pinned_pointers_;
}

bool launch_capture::is_tracked(CUdeviceptr address)
{
    const std::lock_guard guard(lock_);
    return memory_.find(address).bytes > 0;
}

bool launch_capture::is_texture(std::uint64_t word)
{
    const std::lock_guard guard(lock_);
    return memory_.is_texture(word);
}

// Refuses arguments that point to memory which a replay cannot have.
void launch_capture::refuse_foreign_pointers()
{
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        for (std::size_t at = parameters_[i].first; at + 8 <= parameters_[i].first + parameters_[i].second; at += 8) {
            CUdeviceptr word = 0;
            std::memcpy(&word, arguments_.data() + at, sizeof word);
            if (is_texture(word)) textures_.insert(i + 1);
            unsigned type = 0;
            if (word < 4096 || is_tracked(word) ||
                driver_.pointer_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, word) != CUDA_SUCCESS)
                continue;
            const std::string where = "the launch was not captured: its parameter " + decimal_text(i + 1);
            if (type == CU_MEMORYTYPE_HOST)
                throw cannot_capture{where + " points to pinned host memory, which is not captured"};
            bool is_variable = false;
            for (const kept_memory& variable : kept_)
                is_variable = is_variable || word - variable.address < variable.bytes;
            if (!is_variable)
                throw cannot_capture{where + " points to device memory at " + hex(word) +
                                     " that was not allocated by a tracked call of this process: memory of another "
                                     "process (IPC), an array, or a module"};
        }
}

// Passes the bytes of GPU memory to `use` piece by piece, with their offset; false if the disk is full. The next piece
// is copied meanwhile.
template <class Use>
void launch_capture::read_memory(const kept_memory& memory, const Use& use)
{
    const record::no_size_signal guard;
    concurrent_step in_use;
    for (std::size_t at = 0; at < memory.bytes; at += piece_bytes) {
        std::vector<unsigned char>& piece = pieces_[at / piece_bytes % pieces_.size()];
        piece.resize(std::min(piece_bytes, memory.bytes - at));
        const CUresult copied = driver_.copy_to_host(piece.data(), memory.address + at, piece.size());
        if (!in_use.finish()) throw cannot_capture{no_room};
        if (copied != CUDA_SUCCESS)
            throw cannot_capture{"the launch was not captured: copying " + decimal_text(memory.bytes) + " bytes of " +
                                 memory.kind + " memory at " + hex(memory.address) + " ended with error " +
                                 decimal_text(copied)};
        in_use.start([&use, &piece, at] { return use(at, std::span<const unsigned char>(piece)); });
    }
    if (!in_use.finish()) throw cannot_capture{no_room};
}

void launch_capture::copy_before(const kept_memory& memory)
{
    total_ += memory.bytes;
    if (total_ > wanted_.limit)
        throw cannot_capture{"the launch was not captured: it reaches at least " + decimal_text(total_) +
                             " bytes of memory, and the limit is " + decimal_text(wanted_.limit) +
                             ": raise it with --memory-limit"};
    const copied_file to(path(record::memory_file_name(memory.group.c_str(), memory.number, false)),
                         O_WRONLY | O_CREAT | O_TRUNC);
    read_memory(memory, [&](std::size_t, std::span<const unsigned char> piece) {
        look_for_pointers(piece);
        return to.write(piece);
    });
}

// Unchanged memory is not written again: when the first difference is found, the file starts with everything before it.
bool launch_capture::copy_after(const kept_memory& memory)
{
    const std::string name = path(record::memory_file_name(memory.group.c_str(), memory.number, true));
    const copied_file before(path(record::memory_file_name(memory.group.c_str(), memory.number, false)), O_RDONLY);
    std::unique_ptr<copied_file> to;
    std::vector<unsigned char> earlier;
    read_memory(memory, [&](std::size_t at, std::span<const unsigned char> piece) {
        if (to) return to->write(piece);
        earlier.resize(piece.size());
        if (before.read(at, earlier) && std::memcmp(piece.data(), earlier.data(), piece.size()) == 0) return true;
        to = std::make_unique<copied_file>(name, O_WRONLY | O_CREAT | O_TRUNC);
        for (std::size_t same = 0; same < at; same += earlier.size()) {
            earlier.resize(std::min(piece_bytes, at - same));
            if (!before.read(same, earlier) || !to->write(earlier)) return false;
        }
        return to->write(piece);
    });
    return to != nullptr;
}

void launch_capture::after(const launch& current)
{
    if (const CUresult waited = driver_.synchronize(); waited != CUDA_SUCCESS)
        throw cannot_capture{"the launch was not captured: the kernel ended with error " + decimal_text(waited)};
    for (kept_memory& memory : kept_) memory.is_changed = copy_after(memory);
    write_text(current);
}

void launch_capture::write_text(const launch& current)
{
    std::string text = std::string(record::launch_magic) + "\n";
    const auto line = [&](const std::string& key, const std::string& value) { text += key + " " + value + "\n"; };
    const auto three = [](const std::array<unsigned, 3>& of) {
        return decimal_text(of[0]) + " " + decimal_text(of[1]) + " " + decimal_text(of[2]);
    };
    line("process", decimal_text(static_cast<std::uint64_t>(::getpid())));
    line("number", decimal_text(seen_));
    line("grid", three(current.grid));
    line("block", three(current.block));
    line("cluster", three(current.cluster));
    line("dynamic_shared", decimal_text(current.dynamic_shared));
    line("cooperative", current.cooperative ? "1" : "0");
    line("registers", std::to_string(attributes_[0]));
    line("static_shared", std::to_string(attributes_[1]));
    line("local", std::to_string(attributes_[2]));
    line("carveout", std::to_string(attributes_[3]));
    line("max_threads", std::to_string(attributes_[4]));
    line("max_dynamic_shared", std::to_string(attributes_[5]));
    if (current.early) line("early", "1");
    if (!current.other_attributes.empty()) line("other_attributes", current.other_attributes.substr(1));
    if (pinned_pointers_ > 0) line("pinned_pointers", decimal_text(pinned_pointers_));
    for (const std::size_t parameter : textures_) line("texture", decimal_text(parameter));
    for (const auto& [offset, bytes] : parameters_) line("parameter", decimal_text(offset) + " " + decimal_text(bytes));
    std::string bytes;
    for (const unsigned char byte : arguments_) {
        constexpr std::string_view digits = "0123456789abcdef";
        bytes += digits[byte >> 4];
        bytes += digits[byte & 15];
    }
    line("arguments", bytes);
    {
        const std::lock_guard guard(lock_);
        for (const known_module& known : modules_)
            if (known.kernels.contains(std::string_view(current.name)))
                line("module", decimal_text(known.module.hash) + " " + decimal_text(known.module.bytes));
        text += images_.ptx_sources(library_, module_);
    }
    for (const kept_memory& memory : kept_) {
        const std::string place = decimal_text(memory.number) + " " + hex(memory.address) + " " +
                                  decimal_text(memory.bytes) + " " + (memory.is_changed ? "1 " : "0 ");
        if (memory.group == "memory")
            line("memory", place + memory.kind);
        else
            line("variable", place + (memory.referenced ? "1 " : "0 ") + memory.name);
    }
    line("name", current.name);
    const record::no_size_signal guard;
    const std::string unfinished = path(std::string(record::launch_file) + ".part");
    const int to = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool written = to >= 0 && write_all(to, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    if (to >= 0) ::close(to);
    if (!written || ::rename(unfinished.c_str(), path(record::launch_file).c_str()) != 0) throw cannot_capture{no_room};
}

}  // namespace launchbox
