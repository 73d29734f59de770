#include "image/demangle.hpp"

#include <llvm/Demangle/Demangle.h>

#include <cstdlib>
#include <memory>

namespace launchbox {

namespace {

// Names in NVIDIA's libraries reach 2.5 KB, 24 KB demangled. The demangler recurses once for each letter of a name like
// PPPPi, so that the cap on its input is what keeps it within its stack.
constexpr std::size_t max_mangled = 8192, max_demangled = 65536;

struct free_memory {
    void operator()(char* text) const { std::free(text); }
};

template <class Name>
std::unique_ptr<char, free_memory> llvm_demangle(const Name& name);

}  // namespace

std::string demangle(std::string_view name)
{
    std::string text(name);
    if (!name.starts_with("_Z") || name.size() > max_mangled || name.find('\0') != std::string_view::npos) return text;
    const auto demangled = llvm_demangle(text);
    if (!demangled) return text;
    text = demangled.get();
    if (text.size() > max_demangled) text.resize(max_demangled);
    return text;
}

namespace {

// LLVM 14 to 16 have the signature of __cxa_demangle, later ones take the name alone. A template, so that the call that
// this LLVM does not have is never looked at. It shows namespaces called _GLOBAL__N... as (anonymous namespace).
template <class Name>
std::unique_ptr<char, free_memory> llvm_demangle(const Name& name)
{
    char* result = nullptr;
    if constexpr (requires { llvm::itaniumDemangle(name.c_str(), nullptr, nullptr, nullptr); })
        result = llvm::itaniumDemangle(name.c_str(), nullptr, nullptr, nullptr);
    else
        result = llvm::itaniumDemangle(name);
    return std::unique_ptr<char, free_memory>(result);
}

}  // namespace

}  // namespace launchbox
