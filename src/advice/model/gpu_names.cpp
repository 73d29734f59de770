// Finds the GPU models meant by names as people write them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "advice/model/gpu_models.hpp"

namespace launchbox {

namespace {

using words = std::vector<std::string>;

// The driver's names have at most 96 bytes. Longer text is not a GPU, and is not parsed, which recurses.
constexpr std::size_t longest_name = 200;

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

// Prefixes ("gtx480", "agxorin") and suffixes ("1080ti", "h100pcie") of a model written as one word.
constexpr auto beginnings =
    std::to_array<std::string_view>({"nvidia", "geforce", "quadro", "tesla", "jetson", "titan", "grid", "gtx", "rtx",
                                     "gts", "agx", "orin", "xavier", "pro", "gt"});
constexpr auto endings =
    std::to_array<std::string_view>({"super", "laptop", "mobile", "black", "pcie", "sxm", "ada", "ti", "nvl", "d"});

// Words that the driver and dealers add to names, and that do not tell GPUs apart.
constexpr auto ornaments = std::to_array<std::string_view>(
    {"nvidia",     "geforce", "tesla",   "gpu",    "graphics",  "card",        "accelerator", "tensor",    "core",
     "generation", "gen",     "edition", "series", "server",    "workstation", "founders",    "blackwell", "ampere",
     "hopper",     "turing",  "volta",   "pascal", "maxwell",   "kepler",      "pcie",        "pci",       "dgxs",
     "fhhl",       "nvl",     "desktop", "module", "developer", "kit"});

// "sxm2", "hbm3e", "gddr6": form factor and kind of memory.
bool is_form(std::string_view word)
{
    for (const std::string_view kind : {"sxm", "hbm", "gddr"})
        if (word.starts_with(kind)) return word.size() <= kind.size() + 2;
    return false;
}

bool is_ornament(std::string_view word)
{
    return is_form(word) || std::ranges::find(ornaments, word) != ornaments.end();
}

// "16gb", "480g", "80gib": the digits; nothing for any other word.
std::optional<std::string> memory_of(std::string_view word)
{
    const auto end = static_cast<std::size_t>(std::ranges::find_if_not(word, is_digit) - word.begin());
    const std::string_view unit = word.substr(end);
    if (end == 0 || (unit != "g" && unit != "gb" && unit != "gib")) return std::nullopt;
    return std::string(word.substr(0, end));
}

// "1080", "4070ti": names that may have a suffix.
bool is_model(std::string_view text)
{
    if (text.empty()) return false;
    if (is_digit(text.back())) return true;
    return std::ranges::any_of(endings, [&](std::string_view ending) {
        return text.ends_with(ending) && is_model(text.substr(0, text.size() - ending.size()));
    });
}

// Splits one piece between separators into words: "gtx1080ti" is three.
void add_piece(std::string piece, words& found)
{
    if (std::ranges::find(beginnings, piece) != beginnings.end()) {
        found.push_back(std::move(piece));
        return;
    }
    for (const std::string_view beginning : beginnings)
        if (piece.size() > beginning.size() && piece.starts_with(beginning)) {
            found.emplace_back(beginning);
            add_piece(piece.substr(beginning.size()), found);
            return;
        }
    for (const std::string_view ending : endings)
        if (piece.size() > ending.size() && piece.ends_with(ending) &&
            is_model(std::string_view(piece).substr(0, piece.size() - ending.size()))) {
            add_piece(piece.substr(0, piece.size() - ending.size()), found);
            found.emplace_back(ending);
            return;
        }
    // "v100sxm2": the part after the model has a number of its own.
    if (const std::size_t at = piece.find("sxm"); at != std::string::npos && at > 0 && is_digit(piece[at - 1])) {
        add_piece(piece.substr(0, at), found);
        found.push_back(piece.substr(at));
        return;
    }
    found.push_back(std::move(piece));
}

words words_in(std::string_view text)
{
    words found;
    std::string piece;
    const auto finish = [&] {
        if (!piece.empty()) add_piece(std::move(piece), found);
        piece.clear();
    };
    for (char c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (is_digit(c) || is_letter(c))
            piece += c;
        else
            finish();
    }
    finish();
    std::ranges::replace(found, "mobile", "laptop");
    // "16 GB" in two words.
    for (std::size_t i = 0; i + 1 < found.size(); ++i)
        if ((found[i + 1] == "gb" || found[i + 1] == "gib") && std::ranges::all_of(found[i], is_digit)) {
            found[i] += found[i + 1];
            found.erase(found.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
    return found;
}

struct model_words {
    words needed, optional;
};

model_words words_of(const gpu_model& model)
{
    model_words result;
    std::size_t start = 0;
    while (start < model.words.size()) {
        const std::size_t end = std::min(model.words.find(' ', start), model.words.size());
        const std::string_view word = model.words.substr(start, end - start);
        words& to = word.starts_with('[') ? result.optional : result.needed;
        for (std::string& piece : words_in(word)) to.push_back(std::move(piece));
        start = end + 1;
    }
    return result;
}

// Removes a word; false if it is missing.
bool take(words& from, const std::string& word)
{
    const auto at = std::ranges::find(from, word);
    if (at == from.end()) return false;
    from.erase(at);
    return true;
}

// The sizes of a model's memory, "-" for no size.
words sizes_of(const gpu_model& model)
{
    words sizes;
    for (std::size_t start = 0; start < model.memory.size();) {
        const std::size_t end = std::min(model.memory.find(' ', start), model.memory.size());
        sizes.emplace_back(model.memory.substr(start, end - start));
        start = end + 1;
    }
    return sizes;
}

bool has_memory(const gpu_model& model, const std::string& size)
{
    const words sizes = sizes_of(model);
    return sizes.empty() || std::ranges::find(sizes, size) != sizes.end();
}

// Among models that differ only in memory, keeps those of the given size; without a size, the one that was sold first,
// or all if it is not among them.
void choose_by_memory(std::vector<const gpu_model*>& models, const std::optional<std::string>& size)
{
    const auto means = [&](const gpu_model* model) { return has_memory(*model, size.value_or("-")); };
    if (size || std::ranges::any_of(models, means))
        std::erase_if(models, [&](const gpu_model* model) { return !means(model); });
}

}  // namespace

std::string name_of(const gpu_model& model)
{
    std::string name;
    for (const char c : model.words)
        if (c != '[' && c != ']') name += c;
    if (!model.memory.empty() && !model.memory.starts_with('-')) name += " " + std::string(model.memory) + "GB";
    return name;
}

std::optional<compute_capability> named_gpus::capability() const
{
    if (models.empty()) return std::nullopt;
    for (const gpu_model* model : models)
        if (model->capability != models.front()->capability) return std::nullopt;
    return models.front()->capability;
}

std::optional<int> named_gpus::sms() const
{
    if (models.empty() || !whole) return std::nullopt;
    for (const gpu_model* model : models)
        if (model->sms != models.front()->sms) return std::nullopt;
    return models.front()->sms;
}

named_gpus gpus_named(std::string_view name)
{
    if (name.size() > longest_name) return {};
    words asked = words_in(name);
    std::optional<std::string> memory;
    for (auto word = asked.begin(); word != asked.end();)
        if (std::optional<std::string> size = memory_of(*word)) {
            memory = std::move(size);
            word = asked.erase(word);
        } else {
            ++word;
        }

    std::vector<const gpu_model*> exact, possible;
    std::size_t fewest = asked.size() + 1;
    for (const gpu_model& model : gpu_models()) {
        model_words of_model = words_of(model);
        words left = asked;
        const bool all_there =
            std::ranges::all_of(of_model.needed, [&](const std::string& word) { return take(left, word); });
        for (const std::string& word : of_model.optional) take(left, word);
        if (all_there && std::ranges::all_of(left, is_ornament)) {
            // "H100 PCIe" also matches H100 plus an additional word: prefer the model with more words.
            if (left.size() < fewest) exact.clear();
            fewest = std::min(fewest, left.size());
            if (left.size() == fewest) exact.push_back(&model);
        }
        words rest = asked;
        std::erase_if(rest, is_ornament);
        words whole = of_model.needed;
        whole.insert(whole.end(), of_model.optional.begin(), of_model.optional.end());
        if (!rest.empty() && std::ranges::all_of(rest, [&](const std::string& word) { return take(whole, word); }))
            possible.push_back(&model);
    }
    choose_by_memory(exact, memory);
    if (exact.empty()) return {.models = std::move(possible), .whole = false};
    return {.models = std::move(exact), .whole = true};
}

}  // namespace launchbox
