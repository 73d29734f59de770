// What `inspect` found, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "advice/account.hpp"
#include "advice/diagnose.hpp"
#include "image/kernel_info.hpp"
#include "report/document.hpp"

namespace launchbox {

/// One kernel for one architecture with everything that is said of it.
struct inspected_kernel {
    kernel_info info;
    std::string demangled;
    std::string short_form;
    std::optional<occupancy_account> account;  ///< nullopt: the threads or the architecture are not known
    std::vector<diagnosis> diagnoses;
};

struct inspected_input {
    std::string file;
    std::string kind;
    std::size_t kernels = 0;
    std::vector<std::string> errors;
};

struct inspection {
    std::vector<inspected_input> inputs;
    std::vector<inspected_kernel> kernels;
};

document kernels_document(const inspection& found);

/// launchbox.kernels/1.
nlohmann::ordered_json kernels_json(const inspection& found);

table kernels_table(const inspection& found);

}  // namespace launchbox
