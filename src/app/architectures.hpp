// The architectures and GPU models that the user names with --arch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/sm_limits.hpp>

#include <optional>
#include <string>
#include <vector>

namespace launchbox {

/// One architecture that the user named, with its limits.
struct target {
    compute_capability architecture;
    const sm_limits* limits = nullptr;
    std::string gpu = {};         ///< the model that was named: "GTX 480"; empty: an architecture was
    std::optional<int> sms = {};  ///< of that model, if known
};

/// Every compute capability in the table.
std::vector<compute_capability> known_capabilities();

class architecture_list {
public:
    architecture_list() = default;

    /// Reads "sm_80,sm_90a,12.0", "H100" or "all". Throws `error` for the first unknown name, with the known ones.
    explicit architecture_list(const std::string& text);

    [[nodiscard]] bool empty() const { return named_.empty(); }
    [[nodiscard]] bool has_all() const;

    /// Each architecture once; `all` is what "all" stands for. Includes architectures that launchbox does not know,
    /// whose limits are null: the compiler's figures of a compiled kernel can be read even then.
    [[nodiscard]] std::vector<target> named(const std::vector<compute_capability>& all) const;

    /// The same, but throws `error` for an architecture that launchbox does not know.
    [[nodiscard]] std::vector<target> known(const std::vector<compute_capability>& all) const;

    /// As `known`, but two GPUs of one architecture are two targets: "H100 PCIe,H100". For figures that depend on the
    /// number of SMs.
    [[nodiscard]] std::vector<target> gpus() const;

private:
    [[nodiscard]] std::vector<target> targets(const std::vector<compute_capability>& all, bool each_gpu) const;

    std::vector<std::optional<target>> named_;  // nullopt: "all"
};

/// For an option that takes one architecture. Throws `error` if the user named none or several, or one that launchbox
/// does not know.
target single_architecture(const std::string& text, const std::string& option);

/// The targets to answer for on this architecture, whose limits are known: the named GPUs that have it, or the
/// architecture alone.
std::vector<target> targets_of_kernel(const compute_capability& architecture, const std::vector<target>& named);

/// Throws `error` for an architecture that launchbox does not know.
target known_target(const compute_capability& architecture);

/// The architecture of the first GPU of this machine. Throws `error` if there is no GPU and the user named no
/// architecture.
target target_of_this_machine();

}  // namespace launchbox
