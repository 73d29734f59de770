// Tunes one of the kernels of tests/data/tune/cheats.cu with KTT and reports whether KTT accepts it, and the time it
// measured. Build it manually where KTT is installed: g++ -std=c++17 -I KTT/Source bench/cheats_ktt.cpp -o cheats_ktt
// -L KTT/build -lktt
//
//   cheats_ktt cheats.cu NUMBER     prints {"accepted": true, "ms": 0.0151}
// SPDX-License-Identifier: Apache-2.0
#include <Ktt.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

int main(int count, char** words)
{
    if (count != 3) {
        std::fprintf(stderr, "usage: cheats_ktt cheats.cu NUMBER\n");
        return 2;
    }
    constexpr int n = 4194304, threads = 256;
    std::vector<float> in(n), out(n, 0.0f), right(n);
    std::mt19937 random(1);
    for (int i = 0; i < n; ++i) {
        in[i] = std::uniform_real_distribution<float>(0, 1)(random);
        right[i] = 2 * in[i] + 1;
    }
    ktt::Tuner::SetLoggingLevel(ktt::LoggingLevel::Off);
    ktt::Tuner tuner(0, 0, ktt::ComputeApi::CUDA);
    ktt::Tuner::SetTimeUnit(ktt::TimeUnit::Nanoseconds);
    tuner.SetGlobalSizeType(ktt::GlobalSizeType::CUDA);
    tuner.SetCompilerOptions("-std=c++17");
    const auto definition = tuner.AddKernelDefinitionFromFile(
        "twice_plus_one", words[1], ktt::DimensionVector(n / threads), ktt::DimensionVector(threads));
    const auto input = tuner.AddArgumentVector(in, ktt::ArgumentAccessType::ReadOnly);
    const auto output = tuner.AddArgumentVector(out, ktt::ArgumentAccessType::ReadWrite);
    tuner.SetArguments(definition, {input, output, tuner.AddArgumentScalar(n)});
    const auto kernel = tuner.CreateSimpleKernel("cheats", definition);
    tuner.AddParameter(kernel, "cheat", std::vector<std::uint64_t>{std::strtoull(words[2], nullptr, 10)});
    tuner.SetValidationMethod(ktt::ValidationMethod::SideBySideComparison, 1e-5);
    tuner.SetReferenceComputation(output,
                                  [&](void* to) { std::memcpy(to, right.data(), right.size() * sizeof(float)); });
    const auto results = tuner.Tune(kernel);
    if (results.size() == 1 && results[0].IsValid())
        std::printf("{\"accepted\": true, \"ms\": %.6f}\n", static_cast<double>(results[0].GetKernelDuration()) * 1e-6);
    else
        std::printf("{\"accepted\": false, \"ms\": null}\n");
}
