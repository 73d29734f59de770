// Driver calls as CUPTI reports them, without driver or CUPTI.
#if __has_include(<cupti.h>)
#include "capture/observer/tracked_memory.hpp"

#include <gtest/gtest.h>
#include <array>

#include <string>

#include "capture/observer/loaded_images.hpp"
#include "capture/record/launch_format.hpp"
#include "support/files/files.hpp"

namespace launchbox {
namespace {

class tracked_memory_test : public ::testing::Test {
protected:
    template <class Parameters>
    void tell(CUpti_CallbackId id, const Parameters& parameters)
    {
        memory.called(id, &parameters);
    }
    void allocate(CUpti_CallbackId id, CUdeviceptr address, std::size_t bytes)
    {
        if (id == CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2) tell(id, cuMemAlloc_v2_params{&address, bytes});
        if (id == CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged) tell(id, cuMemAllocManaged_params{&address, bytes, 1});
        if (id == CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync) tell(id, cuMemAllocAsync_params{&address, bytes, nullptr});
        if (id == CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz)
            tell(id, cuMemAllocFromPoolAsync_params{&address, bytes, nullptr, nullptr});
        if (id == CUPTI_DRIVER_TRACE_CBID_cuMemMap) tell(id, cuMemMap_params{address, bytes, 0, 0, 0});
    }
    [[nodiscard]] std::string kind_at(CUdeviceptr address) const { return memory.find(address).kind; }

    tracked_memory memory;
};

TEST_F(tracked_memory_test, every_kind_of_allocation_is_found_until_it_is_freed)
{
    allocate(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, 0x10000, 100);
    allocate(CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, 0x20000, 100);
    allocate(CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync, 0x30000, 100);
    allocate(CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz, 0x40000, 100);
    EXPECT_EQ(kind_at(0x10000), record::kind_allocated);
    EXPECT_EQ(kind_at(0x10063), record::kind_allocated);
    EXPECT_EQ(kind_at(0x10064), "");
    EXPECT_EQ(kind_at(0xffff), "");
    EXPECT_EQ(kind_at(0x20000), record::kind_managed);
    EXPECT_EQ(kind_at(0x30000), record::kind_pool);
    EXPECT_EQ(kind_at(0x40000), record::kind_pool);
    EXPECT_EQ(memory.all().size(), 4u);
    EXPECT_EQ(memory.lowest(), 0x10000u);
    EXPECT_EQ(memory.highest(), 0x40064u);

    tell(CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync, cuMemFreeAsync_params{0x30000, nullptr});
    tell(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, cuMemFree_v2_params{0x20000});
    tell(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, cuMemFree_v2_params{0x20000});  // freed twice: the program's mistake
    EXPECT_EQ(kind_at(0x20000), "");
    EXPECT_EQ(kind_at(0x30000), "");
    EXPECT_EQ(memory.all().size(), 2u);
}

TEST_F(tracked_memory_test, a_pitched_allocation_has_all_its_rows)
{
    CUdeviceptr address = 0x10000;
    std::size_t pitch = 512;
    tell(CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2, cuMemAllocPitch_v2_params{&address, &pitch, 100, 3, 4});
    EXPECT_EQ(memory.find(0x10000 + 1535).bytes, 1536u);
    EXPECT_EQ(memory.find(0x10000 + 1536).bytes, 0u);
}

TEST_F(tracked_memory_test, adjacent_mappings_are_one_range_until_one_is_unmapped)
{
    allocate(CUPTI_DRIVER_TRACE_CBID_cuMemMap, 0x200000, 0x200000);
    allocate(CUPTI_DRIVER_TRACE_CBID_cuMemMap, 0x400000, 0x200000);
    allocate(CUPTI_DRIVER_TRACE_CBID_cuMemMap, 0x600000, 0x200000);
    allocate(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, 0x800000, 0x200000);  // adjacent, but not part of it
    EXPECT_EQ(memory.find(0x500000).address, 0x200000u);
    EXPECT_EQ(memory.find(0x500000).bytes, 0x600000u);
    EXPECT_EQ(memory.all().size(), 2u);
    tell(CUPTI_DRIVER_TRACE_CBID_cuMemUnmap, cuMemUnmap_params{0x400000, 0x200000});
    EXPECT_EQ(memory.find(0x500000).bytes, 0u);
    EXPECT_EQ(memory.find(0x300000).bytes, 0x200000u);
    EXPECT_EQ(memory.find(0x700000).address, 0x600000u);
    allocate(CUPTI_DRIVER_TRACE_CBID_cuMemMap, 0x400000, 0x200000);
    tell(CUPTI_DRIVER_TRACE_CBID_cuMemUnmap, cuMemUnmap_params{0x200000, 0x400000});
    EXPECT_EQ(memory.find(0x300000).bytes, 0u);
    EXPECT_EQ(memory.find(0x500000).bytes, 0u);
    EXPECT_EQ(memory.find(0x700000).bytes, 0x200000u);
    EXPECT_EQ(memory.find(0x800000).bytes, 0x200000u);
}

TEST_F(tracked_memory_test, pinned_memory_and_textures_are_known_until_they_are_gone)
{
    void* host = reinterpret_cast<void*>(0x7000);
    tell(CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc, cuMemHostAlloc_params{&host, 64, 0});
    void* registered = reinterpret_cast<void*>(0x9000);
    tell(CUPTI_DRIVER_TRACE_CBID_cuMemHostRegister_v2, cuMemHostRegister_v2_params{registered, 64, 0});
    EXPECT_TRUE(memory.is_pinned(0x703f));
    EXPECT_FALSE(memory.is_pinned(0x7040));
    EXPECT_FALSE(memory.is_pinned(0x6fff));
    EXPECT_TRUE(memory.is_pinned(0x9000));
    EXPECT_EQ(memory.all().size(), 0u);
    tell(CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost, cuMemFreeHost_params{host});
    tell(CUPTI_DRIVER_TRACE_CBID_cuMemHostUnregister, cuMemHostUnregister_params{registered});
    EXPECT_FALSE(memory.is_pinned(0x7000));
    EXPECT_FALSE(memory.is_pinned(0x9000));

    CUtexObject texture = 0x123400000001;
    cuTexObjectCreate_params made{};
    made.pTexObject = &texture;
    tell(CUPTI_DRIVER_TRACE_CBID_cuTexObjectCreate, made);
    EXPECT_TRUE(memory.is_texture(texture));
    tell(CUPTI_DRIVER_TRACE_CBID_cuTexObjectDestroy, cuTexObjectDestroy_params{texture});
    EXPECT_FALSE(memory.is_texture(texture));
}

TEST(loaded_images, only_images_that_may_contain_ptx_are_kept)
{
    const temporary_directory folder;
    loaded_images images(folder.path().string());
    CUmodule module = nullptr;
    const auto copies = [&] {
        const std::filesystem::directory_iterator files(folder.path());
        return static_cast<std::size_t>(std::distance(begin(files), end(files)));
    };
    const auto give = [&](const void* image) {
        const cuModuleLoadData_params parameters{&module, image};
        images.called(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, &parameters);
        return copies();
    };
    const auto kept = [&](std::size_t number) {
        return read_input((folder.path() / record::image_file_name(::getpid(), number)).string());
    };
    const std::string ptx = "// made by hand\n.version 8.0\n.target sm_90\n.entry f() { }\n";
    EXPECT_EQ(give(nullptr), 0u);
    EXPECT_EQ(give("\x7f"
                   "ELF and so on"),
              0u);
    EXPECT_EQ(give(".version 8.0\n.func f() { }\n"), 0u);
    EXPECT_EQ(give(ptx.c_str()), 1u);
    EXPECT_EQ(kept(0), ptx);

    std::string fatbin("\x50\xed\x55\xba\x01\x00\x10\x00", 8);
    const auto number = [](std::uint64_t value) { return std::string(reinterpret_cast<const char*>(&value), 8); };
    const auto image = [&](std::uint16_t kind, const std::string& content) {
        constexpr std::uint32_t header_bytes = 64;
        std::string header = number(kind | std::uint64_t{header_bytes} << 32) + number(content.size());
        header.resize(header_bytes);
        return header + content;
    };
    const std::string cubins = image(2, "a cubin.") + image(2, "and another one.");
    EXPECT_EQ(give((fatbin + number(cubins.size()) + cubins).c_str()), 1u);  // contains no PTX
    const std::string both = cubins + image(1, "and PTX ");
    fatbin += number(both.size()) + both;
    EXPECT_EQ(give((fatbin + "what lies behind").c_str()), 2u);
    EXPECT_EQ(kept(1), fatbin);
    struct {
        std::uint32_t magic, version;
        const void* data;
    } wrapper{0x466243b1, 1, fatbin.c_str()};
    EXPECT_EQ(give(&wrapper), 3u);
    EXPECT_EQ(kept(2), fatbin);

    std::string text = ptx;
    cuLinkAddData_v2_params link{};
    link.type = CU_JIT_INPUT_PTX;
    link.data = text.data();
    link.size = text.size();
    images.called(CUPTI_DRIVER_TRACE_CBID_cuLinkAddData_v2, &link);
    EXPECT_EQ(kept(3), ptx);
    link.type = CU_JIT_INPUT_CUBIN;
    images.called(CUPTI_DRIVER_TRACE_CBID_cuLinkAddData_v2, &link);
    EXPECT_EQ(copies(), 4u);
}

// Images in a library are not copied before they are needed, since they exist as long as the code does; unless they are
// writable.
const char constant_ptx[] = ".version 8.0\n.target sm_90\n.entry constant() { }\n";
char changing_ptx[] = ".version 8.0\n.target sm_90\n.entry changing() { }\n";

TEST(loaded_images, ptx_is_looked_for_where_the_module_was_loaded_from)
{
    const temporary_directory folder;
    loaded_images images(folder.path().string());
    const auto copies = [&] {
        const std::filesystem::directory_iterator files(folder.path());
        return std::distance(begin(files), end(files));
    };
    std::array<char, 16> handles{};
    const auto load = [&](std::size_t handle, const void* image) {
        auto module = reinterpret_cast<CUmodule>(&handles.at(handle));
        const cuModuleLoadData_params parameters{&module, image};
        images.called(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, &parameters);
        return module;
    };
    const auto sources_of = [&](CUmodule module) { return images.ptx_sources(nullptr, module); };
    const std::string image = "image " + record::image_file_name(::getpid(), 0);
    const CUmodule changing = load(1, changing_ptx);
    EXPECT_EQ(copies(), 1);
    changing_ptx[0] = 'x';
    const CUmodule constant = load(2, constant_ptx);
    EXPECT_EQ(copies(), 1);
    EXPECT_EQ(sources_of(changing), image + "\n");
    EXPECT_NE(sources_of(constant).find("linked /"), std::string::npos);
    EXPECT_EQ(copies(), 2);
    EXPECT_EQ(read_input((folder.path() / record::image_file_name(::getpid(), 1)).string()), constant_ptx);

    const CUmodule cubin = load(3,
                                "\x7f"
                                "ELF and so on");
    EXPECT_EQ(sources_of(cubin), "");
    // If a module was unloaded, or loaded in another way, its origin is unknown: the PTX can be anywhere.
    const cuModuleUnload_params unload{cubin};
    images.called(CUPTI_DRIVER_TRACE_CBID_cuModuleUnload, &unload);
    EXPECT_NE(sources_of(cubin).find(image), std::string::npos);
    EXPECT_NE(sources_of(cubin).find("file /"), std::string::npos);

    // A function of a library's module belongs to the library.
    std::array<char, 2> places{};  // handles are addresses
    auto library = reinterpret_cast<CUlibrary>(&places[0]);
    cuLibraryLoadData_params loaded{};
    loaded.library = &library;
    loaded.code =
        "\x7f"
        "ELF and so on";
    images.called(CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData, &loaded);
    auto module = reinterpret_cast<CUmodule>(&places[1]);
    cuLibraryGetModule_params of{&module, library};
    images.called(CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule, &of);
    EXPECT_EQ(sources_of(module), "");
    EXPECT_EQ(images.ptx_sources(library, nullptr), "");
    const cuLibraryUnload_params gone{library};
    images.called(CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload, &gone);
    EXPECT_NE(sources_of(module).find("file /"), std::string::npos);
}

}  // namespace
}  // namespace launchbox
#endif
