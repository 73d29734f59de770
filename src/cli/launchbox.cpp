// SPDX-License-Identifier: Apache-2.0
#include "cli/run_launchbox.hpp"

int main(int count, char** arguments)
{
    return launchbox::cli::run_launchbox(count, arguments);
}
