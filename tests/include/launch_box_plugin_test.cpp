// Plugins with the same launch box in one process, each with its own runtime, like Python extensions.
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace {

TEST(launch_box_plugins, each_launches_its_own_kernel_and_queries_its_own_probe)
{
    for (const char* file :
         {LAUNCHBOX_PLUGINS "/launch_box_plugin_1.so", LAUNCHBOX_PLUGINS "/launch_box_plugin_2.so"}) {
        void* const plugin = dlopen(file, RTLD_NOW | RTLD_LOCAL);  // not closed
        ASSERT_NE(plugin, nullptr) << dlerror();
        void* const function = dlsym(plugin, "launches_of_own_kernel");
        ASSERT_NE(function, nullptr) << dlerror();
        EXPECT_EQ(reinterpret_cast<int (*)()>(function)(), 3) << file;
    }
}

}  // namespace
