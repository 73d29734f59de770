// The worker without the tool around it.
#include <cstdlib>

#include "tune/gpu_worker.hpp"

int main(int count, char** arguments)
{
    return count == 4 ? launchbox::run_gpu_worker(std::atoi(arguments[3])) : 2;
}
