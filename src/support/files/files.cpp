// SPDX-License-Identifier: Apache-2.0
#include "support/files/files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ostream>
#include <streambuf>
#include <system_error>
#include <thread>

#include "support/error.hpp"
#include "support/files/output_target.hpp"
#include "support/files/own_temporaries.hpp"
#include "support/files/read_files.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/machine_failure.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path, int number, const std::string& hint)
{
    // A limit of the process or the machine: the path is not at fault.
    const bool too_many = number == EMFILE || number == ENFILE;
    throw_system_error(what + " " + path, number, too_many ? "allow more with: ulimit -n 1024" : hint);
}

class file_descriptor {
public:
    explicit file_descriptor(int number, bool owned = true) : number_(number), owned_(owned) {}
    ~file_descriptor()
    {
        if (owned_ && number_ >= 0) ::close(number_);
    }
    file_descriptor(const file_descriptor&) = delete;
    file_descriptor& operator=(const file_descriptor&) = delete;

    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] int release()
    {
        owned_ = false;
        return number_;
    }

private:
    int number_;
    bool owned_;
};

// Writes blocks to a descriptor and remembers the number of the first error; 0 if there is none.
class descriptor_buffer : public std::streambuf {
public:
    explicit descriptor_buffer(int file) : file_(file), block_(1 << 16, '\0') { empty(); }

    int finish()
    {
        flush();
        return failure_;
    }

protected:
    int_type overflow(int_type c) override
    {
        if (!flush()) return traits_type::eof();
        if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
        return traits_type::not_eof(c);
    }
    int sync() override { return flush() ? 0 : -1; }

private:
    void empty() { setp(block_.data(), block_.data() + block_.size()); }
    bool flush()
    {
        std::string_view rest(pbase(), static_cast<std::size_t>(pptr() - pbase()));
        while (!rest.empty() && failure_ == 0) {
            const ssize_t wrote = ::write(file_, rest.data(), rest.size());
            if (wrote >= 0)
                rest.remove_prefix(static_cast<std::size_t>(wrote));
            else if (errno != EINTR)
                failure_ = errno;
        }
        empty();
        return failure_ == 0;
    }

    int file_;
    int failure_ = 0;
    std::string block_;
};

// The number of the error; 0 if all was written.
int write_to(int file, const std::function<void(std::ostream&)>& writer)
{
    descriptor_buffer buffer(file);
    std::ostream out(&buffer);
    writer(out);
    return buffer.finish();
}

// A temporary file that is removed if its writer throws.
class unfinished_file {
public:
    explicit unfinished_file(const std::string& path) : path_(path) {}
    ~unfinished_file()
    {
        if (!finished_) ::unlink(path_.c_str());
    }
    unfinished_file(const unfinished_file&) = delete;
    unfinished_file& operator=(const unfinished_file&) = delete;
    void finished() { finished_ = true; }

private:
    const std::string& path_;
    bool finished_ = false;
};

// The content of an open file, called `name` in messages.
std::string read_all(int file, const std::string& name, std::size_t cap);

struct replacement_rules {
    const struct stat* like = nullptr;                 // file with the owner and permissions to copy; nullptr: defaults
    std::function<void(const fs::path&)> accept = {};  // of `write_file_atomically`
};
void write_atomically(const fs::path& wanted, const std::function<void(std::ostream&)>& writer,
                      const replacement_rules& rules);

}  // namespace

std::string read_input(const std::string& path, std::size_t cap)
{
    if (path == "-") {
        note_read("/proc/self/fd/0");  // may be a file
        return read_all(STDIN_FILENO, "standard input", cap);
    }
    // A blocking open of a pipe would wait for its writer, and ignore Ctrl-C.
    struct stat status {};
    const bool is_pipe = ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
    const file_descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (is_pipe ? O_NONBLOCK : 0)));
    if (file.number() < 0) fail("cannot open", path, errno, "check the path");
    note_read(path);
    return read_all(file.number(), path, cap);
}

std::string read_file(const fs::path& path, std::size_t cap)
{
    std::string content = read_old_output(path, cap);
    note_read(path);
    return content;
}

std::string read_old_output(const fs::path& path, std::size_t cap)
{
    refuse_irregular(path);
    // Does not block either if a pipe has just replaced the file.
    const file_descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.number() < 0) fail("cannot open", path.string(), errno, "check the path");
    struct stat status {};
    if (::fstat(file.number(), &status) == 0 && !S_ISREG(status.st_mode)) refuse_irregular(path);
    return read_all(file.number(), path.string(), cap);
}

void refuse_irregular(const fs::path& file)
{
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
    const char* const is = S_ISDIR(status.st_mode)    ? " is a folder"
                           : S_ISFIFO(status.st_mode) ? " is a pipe, but must be a file, which is read more than once"
                           : S_ISSOCK(status.st_mode) ? " is a socket, not a file"
                                                      : " is a device, not a file";
    throw error(file.string() + is, S_ISDIR(status.st_mode) ? "name a file in it" : "write its content to a file");
}

void write_file_atomically(const fs::path& wanted, std::string_view content)
{
    write_file_atomically(wanted, [content](std::ostream& out) { out << content; });
}

void write_file_atomically(const fs::path& wanted, const std::function<void(std::ostream&)>& writer,
                           const std::function<void(const fs::path&)>& accept)
{
    write_atomically(wanted, writer, {.accept = accept});
}

void write_file_atomically(const fs::path& wanted, std::string_view content, const fs::path& permissions_of)
{
    struct stat status {};
    if (::stat(permissions_of.c_str(), &status) != 0)
        fail("cannot read the permissions of", permissions_of.string(), errno, "check the path");
    write_atomically(wanted, [content](std::ostream& out) { out << content; }, {.like = &status});
}

bool may_write(const fs::path& file)
{
    return ::access(file.c_str(), W_OK) == 0;
}

namespace {

constexpr int longest_pipe_wait = 10'000;  // milliseconds

// Waits for a pipe or device until there is data, the user interrupts, or it has no writer.
class input_wait {
public:
    input_wait(int file, const std::string& name) : file_(file), name_(name) {}

    // False if nothing came for a while.
    bool wait() const
    {
        if (interrupted()) throw error("interrupted while " + name_ + " was read", {}, exit_status::interrupted);
        pollfd wanted{.fd = file_, .events = POLLIN, .revents = 0};
        return ::poll(&wanted, 1, milliseconds) > 0;  // a signal may have interrupted it
    }

    // Called at the end of a pipe without a writer, which may be about to open it.
    void no_writer()
    {
        if (++waits_ * milliseconds >= longest_wait)
            throw error("no program writes to the pipe " + name_ + ": gave up after " +
                            std::to_string(longest_wait / 1000) + " seconds",
                        "start its writer first, or name a file");
    }

private:
    static constexpr int milliseconds = 500, longest_wait = longest_pipe_wait;
    int file_, waits_ = 0;
    const std::string& name_;
};

std::string read_all(int file, const std::string& name, std::size_t cap)
{
    struct stat status {};
    const bool is_file = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    if (S_ISDIR(status.st_mode)) throw error(name + " is a folder", "name a file in it");
    const auto refuse_beyond_cap = [&](std::size_t bytes) {
        if (bytes > cap)
            throw error(name + " is larger than " + with_commas(static_cast<std::int64_t>(cap)) + " bytes",
                        "split the input");
    };
    if (is_file) refuse_beyond_cap(static_cast<std::size_t>(status.st_size));

    const off_t size = status.st_size;
    std::string content;
    constexpr std::size_t block = 1 << 16;
    const bool can_be_tried = S_ISFIFO(status.st_mode) && (::fcntl(file, F_GETFL) & O_NONBLOCK) != 0;
    input_wait input(file, name);
    for (;;) {
        const bool has_come = is_file || input.wait();
        if (!has_come && !can_be_tried) continue;
        const std::size_t old = content.size();
        content.resize(old + block);
        const ssize_t got = ::read(file, content.data() + old, block);
        const int failure = got < 0 ? errno : 0;
        content.resize(old + static_cast<std::size_t>(std::max<ssize_t>(0, got)));
        if (failure == EINTR || failure == EAGAIN) continue;
        if (failure != 0) fail("cannot read", name, failure, "check the file");
        if (got == 0 && !has_come) {
            input.no_writer();
            continue;
        }
        if (got == 0) break;
        refuse_beyond_cap(content.size());
    }
    if (is_file && ::fstat(file, &status) == 0 && status.st_size < size)
        throw error(name + " was truncated by another program while it was read",
                    "read it again when that program has ended");
    return content;
}

// Opens a pipe once its reader exists. A negative number means an error, in errno.
int open_pipe(const fs::path& pipe)
{
    constexpr int milliseconds = 50;
    for (int waited = 0;; waited += milliseconds) {
        const int file = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
        if (file >= 0) ::fcntl(file, F_SETFL, O_WRONLY);  // wait for a slow reader
        if (file >= 0 || errno != ENXIO) return file;
        if (interrupted())
            throw error("interrupted before " + pipe.string() + " was read", {}, exit_status::interrupted);
        if (waited >= longest_pipe_wait)
            throw error("no program reads from the pipe " + pipe.string() + ": gave up after " +
                            std::to_string(longest_pipe_wait / 1000) + " seconds",
                        "start its reader first, or name a file");
        ::poll(nullptr, 0, milliseconds);
    }
}

// Writes to a pipe or device, which cannot be replaced. False for anything else.
bool write_to_device(const fs::path& wanted, const output_target& target,
                     const std::function<void(std::ostream&)>& writer)
{
    struct stat status {};
    if (target.descriptor < 0 && ::stat(wanted.c_str(), &status) != 0) return false;
    if (S_ISBLK(status.st_mode))
        throw error("cannot write " + wanted.string() + ": it is a block device", "name a file, or leave out -o");
    const bool is_device = S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
    if (target.descriptor < 0 && !is_device) return false;
    file_descriptor device(target.descriptor >= 0     ? target.descriptor
                           : S_ISFIFO(status.st_mode) ? open_pipe(wanted)
                                                      : ::open(wanted.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY),
                           target.descriptor < 0);
    const int failure = device.number() < 0 ? errno : write_to(device.number(), writer);
    if (failure != 0) fail("cannot write", wanted.string(), failure, "name a file, or leave out -o");
    return true;
}

fs::path folder_of(const fs::path& file)
{
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

void refuse_folder(const fs::path& path, const struct stat& status)
{
    if (S_ISDIR(status.st_mode)) throw error("cannot write " + path.string() + ": it is a folder", "name a file in it");
}

void refuse_read_only(const fs::path& path, const struct stat& status)
{
    if (S_ISREG(status.st_mode) && ((status.st_mode & 0222) == 0 || !may_write(path)))
        throw error("cannot write " + path.string() + ": it is read-only", "chmod u+w it, or name another file");
}

[[noreturn]] void fail_in_folder(const fs::path& path, int number, bool replaces)
{
    fail("cannot write", path.string(), number,
         replaces ? "its folder has to be writable, because the file is replaced by a new one; nothing was changed"
                  : "choose a folder that exists and is writable");
}

void write_atomically(const fs::path& wanted, const std::function<void(std::ostream&)>& writer,
                      const replacement_rules& rules)
{
    const output_target target = target_of(wanted);
    if (write_to_device(wanted, target, writer)) return;

    const fs::path& path = target.path;
    struct stat replaced {};
    const bool is_there = ::lstat(path.c_str(), &replaced) == 0;
    if (is_there) refuse_folder(path, replaced);
    const bool replaces = is_there && S_ISREG(replaced.st_mode);
    if (replaces && rules.like == nullptr) refuse_read_only(path, replaced);

    const own_temporary made = new_own_file(folder_of(path));
    const std::string temporary = made.path.string();
    file_descriptor file(made.descriptor);
    if (file.number() < 0) fail_in_folder(path, errno, replaces);

    unfinished_file unfinished(temporary);
    int failure = write_to(file.number(), writer);
    // It was created private.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    const struct stat* const like = rules.like != nullptr ? rules.like : replaces ? &replaced : nullptr;
    const int refused = like != nullptr                              ? take_over(file.number(), *like)
                        : ::fchmod(file.number(), 0666 & ~mask) != 0 ? errno
                                                                     : 0;
    if (replaces && rules.like == nullptr) take_over_access_list(file.number(), path);
    if (failure == 0) failure = refused;
    if (failure == 0 && ::fsync(file.number()) != 0) failure = errno;
    // It stays open, and so locked, until it has its final name, so that nobody removes it as a leftover.
    if (failure == 0 && replaces && rules.accept) rules.accept(temporary);
    if (failure == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) failure = errno;
    if (failure == EBUSY)
        fail("cannot write", path.string(), failure,
             "it is a mount point, as in containers, and cannot be replaced: name another file; nothing was changed");
    if (failure != 0) fail("cannot write", path.string(), failure, "nothing was changed");
    unfinished.finished();
}

}  // namespace

void refuse_unwritable(const fs::path& wanted)
{
    const output_target target = target_of(wanted);
    struct stat status {};
    const bool is_there = ::stat(wanted.c_str(), &status) == 0;
    if (target.descriptor >= 0 || (is_there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))) return;
    if (is_there) refuse_folder(target.path, status);
    if (is_there) refuse_read_only(target.path, status);
    // "/.": if the folder is a file, that is said, and not that it cannot be entered.
    if (::access((folder_of(target.path) / ".").c_str(), W_OK | X_OK) != 0)
        fail_in_folder(target.path, errno, is_there);
}

void move_to_new_name(const fs::path& made, const fs::path& wanted)
{
    if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, wanted.c_str(), RENAME_NOREPLACE) == 0) return;
    // Not every file system supports that flag. link() never replaces an existing file, and rename() replaces a folder
    // only if that is empty.
    if (errno == EINVAL || errno == ENOSYS) {
        std::error_code ignored;
        if (fs::is_directory(made, ignored) && !fs::exists(fs::symlink_status(wanted, ignored))) {
            if (::rename(made.c_str(), wanted.c_str()) == 0) return;
        } else if (::link(made.c_str(), wanted.c_str()) == 0) {
            ::unlink(made.c_str());
            return;
        }
    }
    const int number = errno;
    if (number == EEXIST || number == ENOTEMPTY || number == ENOTDIR)
        throw error(wanted.string() + " already exists", "nothing was written; name another, or remove it");
    fail("cannot write", wanted.string(), number, "name another");
}

folder_lock::folder_lock(const fs::path& file, const std::function<void(const std::string&)>& waiting,
                         std::chrono::milliseconds patience)
{
    std::error_code ignored;
    const fs::path folder = fs::weakly_canonical(fs::absolute(file, ignored), ignored).parent_path();
    file_descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    bool told = false;
    std::chrono::milliseconds pause(1);
    for (const auto begin = std::chrono::steady_clock::now();
         opened.number() >= 0 && ::flock(opened.number(), LOCK_EX | LOCK_NB) != 0;) {
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK) return;
        if (!told && waiting) waiting("waiting for another process that has locked " + folder.string());
        told = true;
        if (interrupted()) throw error("interrupted", "", exit_status::interrupted);
        if (std::chrono::steady_clock::now() - begin >= patience)
            throw error("another process has locked " + folder.string() + " for " +
                            std::to_string(std::chrono::duration_cast<std::chrono::seconds>(patience).count()) +
                            " s, and " + file.string() + " was not written",
                        "check whether it hangs: fuser -v " + folder.string());
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::milliseconds(16));
    }
    folder_ = opened.release();
}

folder_lock::~folder_lock()
{
    if (folder_ >= 0) ::close(folder_);
}

namespace {

fs::path system_folder()
{
    std::error_code failure;
    const fs::path folder = fs::temp_directory_path(failure);
    return failure ? fs::path("/tmp") : folder;
}

}  // namespace

temporary_directory::temporary_directory() : temporary_directory(system_folder()) {}

temporary_directory::temporary_directory(const fs::path& base)
{
    const own_temporary made = new_own_folder(base);
    if (made.descriptor < 0)
        fail("cannot make a folder in", base.string(), errno, "set TMPDIR to a folder that is writable");
    claim_ = made.path;
    lock_ = made.descriptor;
    // Locks a separate file, since users of the folder may lock the folder itself (folder_lock).
    path_ = claim_ / "run";
    std::error_code failure;
    fs::create_directory(path_, failure);
    if (!failure) return;
    remove();
    fail("cannot make a folder in", base.string(), failure.value(), "give it room");
}

temporary_directory::~temporary_directory()
{
    remove();
}

void temporary_directory::remove() const
{
    std::error_code ignored;
    fs::remove_all(claim_, ignored);
    ::close(lock_);
}

}  // namespace launchbox
