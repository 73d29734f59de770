// SPDX-License-Identifier: Apache-2.0
#include "support/files/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ostream>
#include <streambuf>
#include <string>
#include <system_error>
#include <thread>

#include "support/error.hpp"
#include "support/files/own_temporaries.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/machine_failure.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path, int number, const std::string& hint)
{
    // Of the process, or of the machine: nothing is wrong with the path.
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

// Writes blocks to a descriptor and remembers the number of the first error; 0: all is written.
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

// The number of the error; 0 when all is written.
int write_to(int file, const std::function<void(std::ostream&)>& writer)
{
    descriptor_buffer buffer(file);
    std::ostream out(&buffer);
    writer(out);
    return buffer.finish();
}

// A temporary file that goes when its writer throws.
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

// The content of a file that is whole into one with several names. The number of the error; 0 when all is written.
int copy_into(const std::string& from, const fs::path& to)
{
    const std::string content = read_input(from, std::size_t{1} << 40);
    file_descriptor file(::open(to.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.number() < 0) return errno;
    int failure = write_to(file.number(), [&](std::ostream& out) { out << content; });
    if (failure == 0 && ::ftruncate(file.number(), static_cast<off_t>(content.size())) != 0) failure = errno;
    if (failure == 0 && ::fsync(file.number()) != 0) failure = errno;
    return failure;
}

// `like`: whose owner and permissions the file gets; nullptr: what a plain open would give.
void write_atomically(const fs::path& wanted, const std::function<void(std::ostream&)>& writer,
                      const struct stat* like);

}  // namespace

std::string read_input(const std::string& path, std::size_t cap)
{
    const bool standard_input = path == "-";
    const std::string name = standard_input ? "standard input" : path;
    const file_descriptor file(standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC),
                               !standard_input);
    if (file.number() < 0) fail("cannot open", name, errno, "check the path");

    struct stat status {};
    if (::fstat(file.number(), &status) == 0) {
        if (S_ISDIR(status.st_mode)) throw error(name + " is a directory", "name a file in it");
        if (S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) > cap)
            throw error(name + " is larger than " + std::to_string(cap) + " bytes", "split the input");
    }

    std::string content;
    constexpr std::size_t block = 1 << 16;
    for (;;) {
        const std::size_t old = content.size();
        content.resize(old + block);
        const ssize_t got = ::read(file.number(), content.data() + old, block);
        if (got < 0 && errno == EINTR) {
            content.resize(old);
            continue;
        }
        if (got < 0) fail("cannot read", name, errno, "check the file");
        content.resize(old + static_cast<std::size_t>(got));
        if (got == 0) return content;
        if (content.size() > cap)
            throw error(name + " is larger than " + std::to_string(cap) + " bytes", "split the input");
    }
}

void refuse_pipe(const std::string& file)
{
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0 && S_ISFIFO(status.st_mode))
        throw error(file + " is a pipe, and a source is read more than once", "write it to a file");
}

void write_file_atomically(const fs::path& wanted, std::string_view content)
{
    write_file_atomically(wanted, [content](std::ostream& out) { out << content; });
}

void write_file_atomically(const fs::path& wanted, const std::function<void(std::ostream&)>& writer)
{
    write_atomically(wanted, writer, nullptr);
}

void write_file_atomically(const fs::path& wanted, std::string_view content, const fs::path& permissions_of)
{
    struct stat status {};
    if (::stat(permissions_of.c_str(), &status) != 0)
        fail("cannot read the permissions of", permissions_of.string(), errno, "check the path");
    write_atomically(
        wanted, [content](std::ostream& out) { out << content; }, &status);
}

bool may_write(const fs::path& file)
{
    return ::access(file.c_str(), W_OK) == 0;
}

namespace {

void write_atomically(const fs::path& wanted, const std::function<void(std::ostream&)>& writer, const struct stat* like)
{
    // A link stays a link: what it names is replaced. /dev/stdout and pipes cannot be replaced, only written to.
    std::error_code ignored;
    const fs::path path = fs::is_symlink(wanted, ignored) ? fs::weakly_canonical(wanted, ignored) : wanted;
    if (const fs::file_status status = fs::status(wanted, ignored);
        fs::is_character_file(status) || fs::is_fifo(status) || fs::is_socket(status)) {
        file_descriptor device(::open(wanted.c_str(), O_WRONLY | O_CLOEXEC));
        const int failure = device.number() < 0 ? errno : write_to(device.number(), writer);
        if (failure != 0) fail("cannot write", wanted.string(), failure, "name a file, or leave out -o");
        return;
    }

    // What is replaced keeps its permissions and, where it has several names, all of them.
    struct stat replaced {};
    const bool replaces = ::stat(path.c_str(), &replaced) == 0 && S_ISREG(replaced.st_mode);
    if (replaces && like == nullptr) {
        if ((replaced.st_mode & 0222) == 0 || !may_write(path))
            throw error("cannot write " + path.string() + ": it is read-only", "chmod u+w it, or name another file");
        like = &replaced;
    }

    const own_temporary made = new_own_file(path.has_parent_path() ? path.parent_path() : fs::path("."));
    const std::string temporary = made.path.string();
    file_descriptor file(made.descriptor);
    if (file.number() < 0) fail("cannot write", path.string(), errno, "choose a folder that exists and is writable");

    unfinished_file unfinished(temporary);
    int failure = write_to(file.number(), writer);
    // It was made private; give it what a plain open would have given.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (like != nullptr && ::fchown(file.number(), like->st_uid, like->st_gid) != 0) errno = 0;  // only root may
    const mode_t mode = like != nullptr ? like->st_mode & 07777 : 0666 & ~mask;
    if (failure == 0 && ::fchmod(file.number(), mode) != 0) failure = errno;
    if (failure == 0 && ::fsync(file.number()) != 0) failure = errno;
    // It is open, and so locked, until it has its name: nobody takes it for one that was left.
    if (failure == 0 && replaces && replaced.st_nlink > 1)
        failure = copy_into(temporary, path);
    else if (failure == 0 && ::rename(temporary.c_str(), path.c_str()) != 0)
        failure = errno;
    else if (failure == 0)
        unfinished.finished();
    if (failure != 0) fail("cannot write", path.string(), failure, "nothing was changed");
}

}  // namespace

void move_to_new_name(const fs::path& made, const fs::path& wanted)
{
    if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, wanted.c_str(), RENAME_NOREPLACE) == 0) return;
    // Not every file system knows that flag. A second name is never that of something that is there, and a folder is
    // renamed onto no other that holds anything.
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
        throw error(wanted.string() + " is there already", "nothing was written; name another, or remove it");
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
                        "look for one that hangs: fuser -v " + folder.string());
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
    // What is locked is not what is used: whoever uses it may lock it, too (folder_lock).
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
