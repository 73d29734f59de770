#include "machine.hpp"

#include "filling.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fake {

namespace {

struct io {
    char *in, *out;
    std::int64_t count, element;
    [[nodiscard]] std::int64_t bytes() const { return count * element; }
};

const json* rule_for(const std::string& kernel)
{
    if (!plan().contains("kernels")) return nullptr;
    for (const json& value : plan().at("kernels"))
        if (std::regex_search(kernel, std::regex(value.value("match", std::string())))) return &value;
    return nullptr;
}

io parameters_of(const json* rule, void** parameters)
{
    io found{};
    std::memcpy(&found.in, parameters[0], 8);
    std::memcpy(&found.out, parameters[1], 8);
    std::int32_t count = 0;
    std::memcpy(&count, parameters[2], 4);
    found.count = count;
    found.element = rule == nullptr ? 4 : rule->value("element_bytes", 4);
    return found;
}

void compute(const std::string& effect, const io& with)
{
    if (effect == "nothing") return;
    if (effect == "accumulate") {  // the old content of `out` counts
        for (std::int64_t i = 0; i < with.bytes(); ++i)
            with.out[i] = static_cast<char>(with.out[i] ^ with.in[i] ^ 0x55);
        return;
    }
    if (effect == "variable") {
        if (const std::vector<char>* from = gpu().variable)
            std::memcpy(with.out, from->data(), std::min(from->size(), static_cast<std::size_t>(with.bytes())));
        return;
    }
    std::memmove(with.out, with.in, static_cast<std::size_t>(with.bytes()));
    if (effect != "add_one") return;
    for (std::int64_t i = 0; i < with.count; ++i) {
        std::uint64_t value = 0;
        std::memcpy(&value, with.out + i * with.element, static_cast<std::size_t>(with.element));
        ++value;
        std::memcpy(with.out + i * with.element, &value, static_cast<std::size_t>(with.element));
    }
}

void spoil(const json& how, const io& with)
{
    static unsigned races = 0;
    const std::string action = how.at("action");
    const auto extra = static_cast<std::size_t>(how.value("bytes", 4));
    const std::int64_t at = how.value("index", with.count / 2) * with.element;
    if (action == "wrong_one") with.out[at] = static_cast<char>(with.out[at] ^ 1);
    if (action == "wrong_zero") std::memset(with.out, 0, static_cast<std::size_t>(with.bytes()));
    if (action == "race") {
        ++races;
        for (std::int64_t i = 0; i < with.bytes(); ++i) with.out[i] = static_cast<char>(i * races * 31 + races);
    }
    if (action == "write_behind") std::memset(with.out + with.bytes(), 0x11, extra);
    if (action == "write_before") std::memset(with.out - extra, 0x11, extra);
    if (action == "write_input") with.in[at] = static_cast<char>(with.in[at] + 1);
}

// For a kernel with a memory: the module variable that the rule names counts its launches. Returns its value before.
int count_launch(const json* rule, const function& what)
{
    if (rule == nullptr || !rule->contains("counts_in")) return 0;
    std::vector<char>& variable = what.owner->variables[rule->at("counts_in").get<std::string>()];
    if (variable.size() < 4) variable.resize(4);
    int before = 0;
    std::memcpy(&before, variable.data(), 4);
    const int now = before + 1;
    std::memcpy(variable.data(), &now, 4);
    return before;
}

std::uint64_t mixed(std::uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

// Depends on the kernel, its shape and its number of launches, never on what other kernels did before.
double duration_ns(const json* rule, const function& what, const shape& how)
{
    double ns = 1000;
    if (rule != nullptr) {
        ns = rule->value("ns", 1000.0) + rule->value("ns_per_block", 0.0) * static_cast<double>(how.blocks) +
             rule->value("ns_per_thread", 0.0) * static_cast<double>(how.threads);
        std::smatch groups;
        const std::regex pattern(rule->value("match", std::string()));
        std::regex_search(what.name, groups, pattern);
        for (const json& term : rule->value("terms", json::array())) {
            const std::size_t group = term.at("group");
            const double value = group == 0 ? static_cast<double>(how.threads) : std::stod(groups[group].str());
            const double distance = std::log2(value / term.at("best").get<double>());
            ns *= 1 + term.at("cost").get<double>() * distance * distance;
        }
    }
    const double noise = plan().value("noise", 0.0);
    std::uint64_t seed = plan().value("seed", 1ULL);
    for (const char letter : what.name) seed = mixed(seed + static_cast<unsigned char>(letter));
    seed = mixed(mixed(mixed(seed + how.blocks) + how.threads) + static_cast<std::uint64_t>(what.launches));
    return ns * (1 + noise * (static_cast<double>(seed >> 11) * 0x1p-53 * 2 - 1));
}

// An independent implementation of the checksum documented in buffers.hpp.
std::uint64_t sum_of(const unsigned char* data, std::uint64_t bytes)
{
    std::uint64_t sum = 0;
    for (std::uint64_t word = 0; word * 8 < bytes; ++word) {
        std::uint64_t x = 0;
        for (std::uint64_t i = 0; i < 8 && word * 8 + i < bytes; ++i)
            x |= static_cast<std::uint64_t>(data[word * 8 + i]) << 8 * i;
        x += (word + 1) * 11400714819323198485u;
        x ^= x >> 32;
        x *= 13787848793156543929u;
        x ^= x >> 29;
        sum += x;
    }
    return sum;
}

template <class Value>
Value parameter(void** parameters, int at)
{
    Value value{};
    std::memcpy(&value, parameters[at], sizeof value);
    return value;
}

double half_of(std::uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31) value = fraction == 0 ? INFINITY : NAN;
    return (bits >> 15) != 0 ? -value : value;
}

// An independent implementation of the comparison documented in helper_module.hpp. `number` represents every element
// exactly.
template <class Element, bool halves = false, class ToNumber>
void compare(void** parameters, ToNumber number)
{
    const auto* output = parameter<const Element*>(parameters, 0);
    const auto* reference = parameter<const Element*>(parameters, 1);
    const double absolute = parameter<double>(parameters, 4), relative = parameter<double>(parameters, 5);
    auto* result = parameter<std::uint64_t*>(parameters, 6);
    for (std::uint64_t i = 0; i < parameter<std::uint64_t>(parameters, 2); ++i) {
        // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are what is compared
        if (std::memcmp(&output[i], &reference[i], sizeof(Element)) == 0) continue;
        const unsigned char poison[8] = {0xf5, 0xff, 0xfa, 0xff, 0xf5, 0xff, 0xfa, 0xff};
        const bool untouched =
            // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
            std::memcmp(&output[i], poison + (sizeof(Element) < 4 ? i * sizeof(Element) % 4 : 0), sizeof(Element)) == 0;
        const auto is = number(output[i]), wanted = number(reference[i]);
        double distance = INFINITY;
        bool same = false;
        if (std::isnan(is) || std::isnan(wanted)) {
            same = std::isnan(is) && std::isnan(wanted);
        } else if (!std::isinf(is) && !std::isinf(wanted)) {
            distance = std::fabs(static_cast<double>(is - wanted));
            same = distance <= absolute + relative * std::fabs(static_cast<double>(wanted));
        }
        constexpr bool small_integer = std::is_integral_v<Element> && sizeof(Element) < 4;
        if (same && (!untouched || (small_integer && !halves))) continue;
        ++result[0];
        result[1] = std::max(result[1], ~i);
        std::uint64_t bits = 0;
        std::memcpy(&bits, &distance, 8);
        result[2] = std::max(result[2], bits);
        result[3] += untouched;
    }
}

constexpr auto itself = [](auto value) { return static_cast<long double>(value); };

bool is_poison(const unsigned char* data, std::uint64_t first, std::uint64_t end)
{
    const unsigned char poison[4] = {0xf5, 0xff, 0xfa, 0xff};
    for (std::uint64_t at = first; at < end; ++at)
        if (data[at] != poison[at % 4]) return false;
    return true;
}

void compare_opaque(void** parameters)
{
    const auto* output = parameter<const char*>(parameters, 0);
    const auto* reference = parameter<const char*>(parameters, 1);
    const auto bytes = parameter<std::uint64_t>(parameters, 3);
    auto* result = parameter<std::uint64_t*>(parameters, 6);
    for (std::uint64_t i = 0; i < parameter<std::uint64_t>(parameters, 2); ++i) {
        if (std::memcmp(output + i * bytes, reference + i * bytes, bytes) == 0) continue;
        ++result[0];
        result[1] = std::max(result[1], ~i);
        result[3] += is_poison(reinterpret_cast<const unsigned char*>(output), i * bytes, (i + 1) * bytes);
    }
}

void launch_comparison(const std::string& type, void** parameters)
{
    if (type == "opaque") compare_opaque(parameters);
    if (type == "s8") compare<std::int8_t>(parameters, itself);
    if (type == "s16") compare<std::int16_t>(parameters, itself);
    if (type == "s32") compare<std::int32_t>(parameters, itself);
    if (type == "s64") compare<std::int64_t>(parameters, itself);
    if (type == "u8") compare<std::uint8_t>(parameters, itself);
    if (type == "u16") compare<std::uint16_t>(parameters, itself);
    if (type == "u32") compare<std::uint32_t>(parameters, itself);
    if (type == "u64") compare<std::uint64_t>(parameters, itself);
    if (type == "f32") compare<float>(parameters, itself);
    if (type == "f64") compare<double>(parameters, itself);
    if (type == "f16") compare<std::uint16_t, true>(parameters, half_of);
    if (type == "bf16")
        compare<std::uint16_t, true>(parameters, [](std::uint16_t bits) {
            const std::uint32_t wide = std::uint32_t{bits} << 16;
            float value = 0;
            std::memcpy(&value, &wide, 4);
            return static_cast<double>(value);
        });
}

bool launch_helper(const std::string& name, void** parameters)
{
    if (name == "launchbox_checksum") {
        *parameter<std::uint64_t*>(parameters, 2) +=
            sum_of(parameter<const unsigned char*>(parameters, 0), parameter<std::uint64_t>(parameters, 1));
    } else if (name == "launchbox_count_other") {
        const auto* data = parameter<const unsigned char*>(parameters, 0);
        for (std::uint64_t i = 0; i < parameter<std::uint64_t>(parameters, 1); ++i)
            *parameter<std::uint64_t*>(parameters, 3) += data[i] != parameter<std::uint32_t>(parameters, 2);
    } else if (name == "launchbox_count_poison") {
        const auto* data = parameter<const unsigned char*>(parameters, 0);
        const auto bytes = parameter<std::uint64_t>(parameters, 2);
        for (std::uint64_t i = 0; i < parameter<std::uint64_t>(parameters, 1); ++i)
            *parameter<std::uint64_t*>(parameters, 3) += is_poison(data, i * bytes, (i + 1) * bytes);
    } else if (name.starts_with("launchbox_compare_")) {
        launch_comparison(name.substr(18), parameters);
    } else if (name.starts_with("launchbox_fill_")) {
        fill(name.substr(15), parameters);
    } else if (name == "launchbox_block") {
        gpu().blocked_by = parameter<const volatile std::uint32_t*>(parameters, 0);
    } else {
        return false;
    }
    gpu().clock_ns += 3000;
    return true;
}

CUresult refuse(const function& what, const shape& how)
{
    if (how.threads > 1024) return CUDA_ERROR_INVALID_VALUE;
    if (what.kernel.bounds.max_threads) {
        const auto& max_threads = *what.kernel.bounds.max_threads;
        if (how.threads > static_cast<std::uint64_t>(max_threads[0]) * static_cast<std::uint64_t>(max_threads[1]) *
                              static_cast<std::uint64_t>(max_threads[2]))
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (static_cast<std::uint64_t>(what.kernel.figures.registers.value_or(32)) * how.threads > 65536)
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (how.dynamic_shared > static_cast<unsigned>(what.allowed_dynamic_shared)) return CUDA_ERROR_INVALID_VALUE;
    if (how.cluster > (what.large_clusters ? 16u : 8u)) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    return CUDA_SUCCESS;
}

}  // namespace

machine& gpu()
{
    static machine* const one = new machine;  // never destroyed, as threads may still call
    return *one;
}

const json& device_plan(int device)
{
    static const json none = json::object();
    if (!plan().contains("devices")) return none;
    return plan().at("devices").at(static_cast<std::size_t>(device));
}

CUresult fault(const std::string& stage, const std::string& kernel)
{
    if (gpu().dead != CUDA_SUCCESS) return gpu().dead;
    const json* const due = fault_at(stage, kernel);
    if (due == nullptr) return CUDA_SUCCESS;
    const std::string action = due->value("action", "error");
    if (action == "hang_call")
        for (;;) ::pause();
    if (action == "exit") ::_exit(due->value("code", 3));
    if (action == "abort") std::abort();
    if (action == "segfault") ::raise(SIGSEGV);
    if (action == "kill") ::raise(SIGKILL);
    if (action == "kill_parent") ::kill(::getppid(), SIGKILL);
    if (action == "stop_parent") ::kill(::getppid(), SIGSTOP);
    if (action == "error") return static_cast<CUresult>(due->value("code", 1));
    if (action == "dead") return gpu().dead = static_cast<CUresult>(due->value("code", 700));
    return CUDA_SUCCESS;
}

CUresult launch(function& what, const shape& how, void** parameters)
{
    if (gpu().dead != CUDA_SUCCESS) return gpu().dead;
    if (launch_helper(what.name, parameters)) return CUDA_SUCCESS;
    if (const CUresult refused = refuse(what, how); refused != CUDA_SUCCESS) return refused;
    const std::string stage = what.launches++ == 0 ? "first_launch" : "timed_launch";
    if (const CUresult due = fault(stage, what.name); due != CUDA_SUCCESS) return due;

    const json* const rule = rule_for(what.name);
    double ns = duration_ns(rule, what, how);
    const int launches_counted = count_launch(rule, what);
    if (launches_counted > 0 && rule->contains("ns_later")) ns = rule->at("ns_later");
    const json* const late = fault_at(stage + "_runs", what.name);
    const std::string action = late == nullptr ? "" : late->at("action");
    if (action == "async") {
        gpu().pending = static_cast<CUresult>(late->value("code", 700));
        return CUDA_SUCCESS;
    }
    if (action == "hang") {
        gpu().hung = true;
        return CUDA_SUCCESS;
    }
    const io with = parameters_of(rule, parameters);
    const bool works = launches_counted < (rule == nullptr ? 1 << 30 : rule->value("works", 1 << 30));
    if (works && action != "untouched") compute(rule == nullptr ? "copy" : rule->value("effect", "copy"), with);
    if (late != nullptr) spoil(*late, with);
    gpu().clock_ns += ns;
    return CUDA_SUCCESS;
}

}  // namespace fake
