#include "image/container/image_scan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "containers.hpp"
#include "image/container/elf.hpp"

namespace launchbox {
namespace {

const made_entry any_entry{.kind = 1, .payload = "12345678", .architecture = 75};
const std::string any_fatbin = make_fatbin({any_entry});

// As much of a cubin as a scan reads: a section with `content`, the names, the headers.
std::string any_cubin(const std::string& content = "code")
{
    std::string bytes = make_host({{".text.k", content}}, 2);
    put(bytes, 18, elf::machine_cuda);
    return bytes;
}

// "container@offset" of every image.
std::string found(const image_scan& scan)
{
    std::string text;
    for (const located_image& image : scan.images)
        text += (text.empty() ? "" : ", ") + image.container + "@" + std::to_string(image.offset);
    return text;
}

std::string told(const image_scan& scan)
{
    std::string text;
    for (const image_diagnostic& diagnostic : scan.diagnostics)
        text += (text.empty() ? "" : "; ") + std::to_string(diagnostic.offset) + ": " + diagnostic.what;
    return text;
}

std::size_t place_of(const std::string& bytes, const std::string& part, std::size_t from = 0)
{
    return bytes.find(part, from);
}

TEST(image_scan, a_cubin_after_the_end_of_another_is_found)
{
    const std::string one = any_cubin("first"), other = any_cubin("the second"), pad(24, '\0');
    for (const unsigned jobs : {1u, 4u}) {
        EXPECT_EQ(found(scan_for_images(one + other, jobs)),
                  "cubin@0, cubin at byte " + std::to_string(one.size()) + "@" + std::to_string(one.size()));
        const std::string all = one + pad + other + any_fatbin;
        const image_scan scan = scan_for_images(all, jobs);
        EXPECT_EQ(scan.images.size(), 3u) << found(scan);
        EXPECT_EQ(told(scan), "");
        EXPECT_EQ(scan.images[0].entry.payload, one);
    }
    EXPECT_EQ(found(scan_for_images(one + pad)), "cubin@0");
    const image_scan cut = scan_for_images(one + other.substr(0, 70));
    EXPECT_EQ(cut.images.size(), 1u);
    EXPECT_NE(told(cut).find("it reaches beyond the end of the file"), std::string::npos) << told(cut);
    const std::string archive = "!<arch>\n" + archive_member_of("a.o/", one + other);
    EXPECT_EQ(scan_for_images(archive).images.size(), 2u);
}

TEST(image_scan, a_cubin_of_another_elf_class_is_reported_anywhere)
{
    const std::string whole = any_cubin(), before = "MZ\0\0 something else";
    for (const auto& [at, value] : {std::pair<std::size_t, char>{4, 1}, {4, 0}, {4, 3}, {5, 2}, {5, 0}}) {
        std::string other = whole;
        other[at] = value;
        for (const std::string& bytes : {other, before + other, whole + other, other + whole}) {
            const image_scan scan = scan_for_images(bytes);
            EXPECT_EQ(scan.images.size(), bytes.size() > whole.size() + before.size() ? 1u : 0u);
            EXPECT_NE(told(scan).find("it is not a 64-bit little-endian ELF image"), std::string::npos) << told(scan);
            EXPECT_TRUE(holds_image(bytes));
        }
    }
    std::string big_endian = whole;
    big_endian[5] = 2;
    std::swap(big_endian[18], big_endian[19]);
    EXPECT_EQ(scan_for_images(big_endian).diagnostics.size(), 1u);
    EXPECT_TRUE(scan_for_images(make_host({{".text", "x"}})).diagnostics.empty());
    EXPECT_FALSE(holds_image(make_host({{".text", "x"}})));
}

TEST(image_scan, holes_are_skipped)
{
    const std::string cubin = any_cubin();
    std::string bytes(1 << 20, '\0');
    std::vector<byte_range> data;
    for (const std::size_t at : {std::size_t{0}, std::size_t{300'000}, bytes.size() - cubin.size()}) {
        bytes.replace(at, cubin.size(), cubin);
        data.push_back({at, at + cubin.size()});
    }
    for (const unsigned jobs : {1u, 4u}) {
        EXPECT_EQ(found(scan_for_images(bytes, jobs, data)), found(scan_for_images(bytes, jobs)));
        EXPECT_EQ(scan_for_images(bytes, jobs, {data[1]}).images.size(), 2u) << "the first is told by its place";
    }
}

TEST(find_magic, finds_every_start_at_any_end_of_a_block)
{
    const std::string fatbin = "\x50\xed\x55\xba", elf = std::string("\x7f") + "ELF";
    for (const std::string& magic : {fatbin, elf})
        for (const std::size_t size : {4u, 5u, 511u, 512u, 513u, 514u, 515u, 1024u, 1030u, 2000u})
            for (std::size_t at = 0; at + magic.size() <= size;
                 at += (at < 8 || at > size - 12 || (at + 6) % 512 < 12) ? 1 : 7) {
                std::string bytes(size, '\x50');
                bytes.replace(at, magic.size(), magic);
                const std::vector<char> exact(bytes.begin(), bytes.end());  // no spare capacity, for the sanitizer
                const std::string_view view(exact.data(), exact.size());
                ASSERT_EQ(find_magic(view, 0), at) << size;
                ASSERT_EQ(find_magic(view, at), at) << size;
                ASSERT_EQ(find_magic(view, at + 1), size) << size << ' ' << at;
            }
}

TEST(find_magic, ignores_parts_of_it_at_the_end)
{
    for (const std::string bytes : {"", "\x50", "\x50\xed", "\x50\xed\x55", "\177E", "aaaaaaa\x50\xed"})
        EXPECT_EQ(find_magic(bytes, 0), bytes.size());
    EXPECT_EQ(find_magic("abc", 3), 3u);
    EXPECT_EQ(find_magic(std::string(2000, '\x7f') + "E", 0), 2001u);
}

TEST(image_scan, a_fat_binary_by_itself_and_several_in_a_row)
{
    const image_scan one = scan_for_images(any_fatbin);
    EXPECT_EQ(one.kind, "fat binary");
    EXPECT_EQ(found(one), "fatbin at byte 0@80");
    EXPECT_EQ(told(one), "");
    const std::string two = any_fatbin + std::string(24, '\0') + make_fatbin({any_entry, any_entry});
    const image_scan scan = scan_for_images(two);
    EXPECT_EQ(found(scan), "fatbin at byte 0@80, fatbin at byte 112@192, fatbin at byte 112@264");
    EXPECT_EQ(scan.images[1].entry_number, 1u);
    EXPECT_EQ(scan.images[2].entry_number, 2u);
    EXPECT_NE(scan.images[0].container_id, scan.images[1].container_id);
    EXPECT_EQ(scan.images[1].container_id, scan.images[2].container_id);
}

TEST(image_scan, several_threads_find_the_same_images)
{
    std::string bytes(600'000, 'x');
    const std::size_t slice = 65536;
    for (const std::size_t at : {0ul, slice - 2, 3 * slice - 8, 4 * slice, 5 * slice + 17})
        bytes.replace(at, any_fatbin.size(), any_fatbin);
    const image_scan one = scan_for_images(bytes, 1);
    EXPECT_EQ(one.images.size(), 5u);
    for (const unsigned jobs : {0u, 2u, 7u}) {
        const image_scan scan = scan_for_images(bytes, jobs);
        EXPECT_EQ(found(scan), found(one));
        EXPECT_EQ(told(scan), told(one));
    }
    // In the members of an archive, too, which start at any offset.
    const std::string archive = "!<arch>\n" + archive_member_of("a/", std::string(slice, 'y')) +
                                archive_member_of("b/", "12345" + any_fatbin) + archive_member_of("c/", any_fatbin);
    EXPECT_EQ(scan_for_images(archive, 1).images.size(), 2u);
    EXPECT_EQ(found(scan_for_images(archive, 3)), found(scan_for_images(archive, 1)));
}

TEST(image_scan, kinds_of_files)
{
    EXPECT_EQ(scan_for_images(make_host({{".text", "x"}}, 1)).kind, "object file");
    EXPECT_EQ(scan_for_images(make_host({{".text", "x"}}, 2)).kind, "executable");
    EXPECT_EQ(scan_for_images(make_host({{".text", "x"}}, 3)).kind, "shared library");
    EXPECT_EQ(scan_for_images(make_host({{".interp", "/lib"}}, 3)).kind, "executable");
    EXPECT_EQ(scan_for_images(make_host({{".text", "x"}}, 4)).kind, "other binary");
    EXPECT_EQ(scan_for_images("MZ and more").kind, "other binary");
    EXPECT_EQ(scan_for_images("!<arch>\n").kind, "archive");
    EXPECT_EQ(scan_for_images(any_cubin()).kind, "cubin");
    EXPECT_EQ(scan_for_images("").kind, "other binary");
}

TEST(image_scan, containers_in_any_section_and_without_sections)
{
    const std::string host = make_host({{".text", "abc"},
                                        {".nv_fatbin", any_fatbin + any_fatbin},
                                        {".rodata", std::string(13, 'r') + any_fatbin + "tail"},
                                        {".ldata", any_fatbin},
                                        {".debug", any_fatbin, 0}});
    const std::string bytes = host + "appended" + any_fatbin;
    const image_scan scan = scan_for_images(bytes);
    EXPECT_EQ(told(scan), "");
    ASSERT_EQ(scan.images.size(), 6u);
    const std::vector<std::string> places{" (.nv_fatbin)", " (.nv_fatbin)", " (.rodata)", " (.ldata)", "", ""};
    std::size_t at = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        at = place_of(bytes, any_fatbin, i == 0 ? 0 : at + 1);
        EXPECT_EQ(scan.images[i].container, "fatbin at byte " + std::to_string(at) + places[i]);
        EXPECT_EQ(scan.images[i].offset, at + 80);
        EXPECT_FALSE(scan.images[i].before_linking);
    }
}

TEST(image_scan, images_only_for_the_device_linker_are_marked)
{
    const image_scan scan =
        scan_for_images(make_host({{".nv_fatbin", any_fatbin}, {"__nv_relfatbin", any_fatbin + any_fatbin}}));
    ASSERT_EQ(scan.images.size(), 3u);
    EXPECT_FALSE(scan.images[0].before_linking);
    EXPECT_TRUE(scan.images[1].before_linking);
    EXPECT_TRUE(scan.images[2].before_linking);
}

// Programs that read fat binaries contain the magic number, which is not a fat binary.
TEST(image_scan, a_magic_number_alone_is_ignored)
{
    const std::string magic("\x50\xed\x55\xba", 4), header = any_fatbin.substr(0, 16);
    const std::string bytes =
        make_host({{".text", "cmp " + magic + " je"}, {".data", header + std::string(100, '\x01')}, {".tail", magic}});
    const image_scan scan = scan_for_images(bytes);
    EXPECT_EQ(found(scan), "");
    EXPECT_EQ(told(scan), "");
    EXPECT_EQ(found(scan_for_images(bytes + magic + magic + any_fatbin)),
              "fatbin at byte " + std::to_string(bytes.size() + 8) + "@" + std::to_string(bytes.size() + 88));
}

// Compressed data may contain anything: images are not searched for within images.
TEST(image_scan, bytes_inside_a_container_are_not_another_container)
{
    const std::string bytes = make_fatbin({{.kind = 1,
                                            .payload = "abc" + any_fatbin + any_cubin(),
                                            .flags = flag_zstd,
                                            .compressed = 90,
                                            .decompressed = 1000},
                                           {.kind = 2, .payload = any_cubin()}});
    const image_scan scan = scan_for_images(bytes + any_fatbin);
    ASSERT_EQ(scan.images.size(), 3u) << found(scan);
    EXPECT_EQ(scan.images[2].container, "fatbin at byte " + std::to_string(bytes.size()));
    EXPECT_EQ(told(scan), "");
}

TEST(image_scan, raw_cubins_at_any_offset_with_their_size)
{
    const std::string first = any_cubin("some code"), second = any_cubin("other code of another length");
    const std::string before = std::string(13, 'x'), between = "between";
    const std::string bytes = make_host({{".rodata", before + first + between + second + "after"}});
    const image_scan scan = scan_for_images(bytes);
    EXPECT_EQ(told(scan), "");
    ASSERT_EQ(scan.images.size(), 2u);
    EXPECT_EQ(scan.images[0].entry.payload, first);
    EXPECT_EQ(scan.images[1].entry.payload, second);
    EXPECT_EQ(scan.images[0].offset, place_of(bytes, first));
    EXPECT_EQ(scan.images[0].container, "cubin at byte " + std::to_string(place_of(bytes, first)) + " (.rodata)");
    EXPECT_EQ(scan.images[0].entry_number, 0u);
    EXPECT_NE(scan.images[0].container_id, scan.images[1].container_id);
}

TEST(image_scan, a_truncated_raw_cubin_is_reported_and_the_next_is_found)
{
    std::string broken = any_cubin();
    put(broken, 40, std::uint64_t{1} << 40);
    const std::string bytes = "0123456789" + broken + any_fatbin;
    const image_scan scan = scan_for_images(bytes);
    EXPECT_EQ(scan.images.size(), 1u);
    ASSERT_EQ(scan.diagnostics.size(), 1u);
    EXPECT_EQ(scan.diagnostics[0].offset, 10u);
    EXPECT_NE(scan.diagnostics[0].what.find("cubin at byte 10"), std::string::npos);
}

TEST(image_scan, a_broken_container_between_good_ones_is_reported_with_its_offset)
{
    for (const std::size_t damaged : {0u, 4u, 18u, 20u}) {  // the magic numbers and sizes that make it a container
        std::string broken = any_fatbin;
        broken[damaged] = '\x66';
        for (const std::string section : {".nv_fatbin", "__nv_relfatbin"}) {
            const std::string content = any_fatbin + broken + any_fatbin;
            const std::string bytes = make_host({{".data", "x"}, {section, content}});
            const image_scan scan = scan_for_images(bytes);
            EXPECT_EQ(scan.images.size(), 2u) << damaged;
            ASSERT_EQ(scan.diagnostics.size(), 1u) << damaged;
            EXPECT_EQ(scan.diagnostics[0].offset, place_of(bytes, content) + any_fatbin.size()) << damaged;
            EXPECT_NE(scan.diagnostics[0].what.find("section " + section), std::string::npos) << told(scan);
        }
    }
    // Elsewhere it is not known that it was meant to be a container.
    std::string broken = any_fatbin;
    broken[0] = 'x';
    EXPECT_EQ(told(scan_for_images(make_host({{".rodata", any_fatbin + broken + any_fatbin}}))), "");
}

TEST(image_scan, broken_containers_at_both_ends_of_the_section_are_reported)
{
    std::string broken = any_fatbin;
    broken[0] = 'x';
    const std::string content = broken + any_fatbin + broken;
    const std::string bytes = make_host({{".nv_fatbin", content}});
    const image_scan scan = scan_for_images(bytes);
    EXPECT_EQ(scan.images.size(), 1u);
    ASSERT_EQ(scan.diagnostics.size(), 2u);
    EXPECT_EQ(scan.diagnostics[0].offset, place_of(bytes, content));
    EXPECT_EQ(scan.diagnostics[1].offset, place_of(bytes, content) + 2 * any_fatbin.size());
    EXPECT_EQ(told(scan_for_images(make_host({{".nv_fatbin", any_fatbin + std::string(40, '\0')}}))), "");
}

TEST(image_scan, a_container_that_claims_its_neighbour_does_not_hide_it)
{
    std::string greedy = any_fatbin;
    put(greedy, 8, std::uint64_t{2 * any_fatbin.size()});
    const std::string bytes = make_host({{".nv_fatbin", greedy + any_fatbin + any_fatbin}});
    const image_scan scan = scan_for_images(bytes);
    EXPECT_EQ(scan.images.size(), 3u) << found(scan);
    ASSERT_EQ(scan.diagnostics.size(), 1u) << told(scan);
    EXPECT_EQ(scan.diagnostics[0].offset, place_of(bytes, greedy) + any_fatbin.size());
}

TEST(image_scan, a_file_that_begins_like_a_fat_binary_but_is_none_says_why)
{
    std::string old = any_fatbin;
    put(old, 4, std::uint16_t{9});
    const image_scan scan = scan_for_images(old + any_fatbin);
    EXPECT_EQ(scan.images.size(), 1u);
    EXPECT_NE(told(scan).find("version 9"), std::string::npos) << told(scan);
    EXPECT_NE(told(scan_for_images(any_fatbin.substr(0, 16))), "");
    EXPECT_NE(told(scan_for_images(any_fatbin.substr(0, 4))), "");
}

TEST(image_scan, members_of_an_archive_are_named_with_their_offsets)
{
    const std::string object = make_host({{".nv_fatbin", any_fatbin}}, 1);
    const std::string inner = "!<arch>\n" + archive_member_of("deep.o/", object);
    const std::string bytes = "!<arch>\n" + archive_member_of("text/", "odd") + archive_member_of("a.o/", object) +
                              archive_member_of("b.cubin/", any_cubin()) + archive_member_of("lib.a/", inner);
    const image_scan scan = scan_for_images(bytes);
    EXPECT_EQ(scan.kind, "archive");
    EXPECT_EQ(told(scan), "");
    const std::size_t first = place_of(bytes, any_fatbin), last = place_of(bytes, any_fatbin, first + 1),
                      cubin = place_of(bytes, any_cubin());
    EXPECT_EQ(found(scan), "a.o: fatbin at byte " + std::to_string(first) + " (.nv_fatbin)@" +
                               std::to_string(first + 80) + ", b.cubin: cubin@" + std::to_string(cubin) +
                               ", lib.a: fatbin at byte " + std::to_string(last) + "@" + std::to_string(last + 80));
}

// Files of other systems have no sections that we read, but fat binaries are found.
TEST(image_scan, files_of_other_systems_are_searched)
{
    std::string small = make_host({{".nv_fatbin", any_fatbin}});
    small[4] = 1;  // 32 bits
    EXPECT_EQ(scan_for_images(small).images.size(), 1u);
    EXPECT_EQ(told(scan_for_images(small)), "");
    EXPECT_EQ(scan_for_images("MZ" + std::string(501, '\0') + any_fatbin).images.size(), 1u);
}

// Ten thousand sections that all claim the same zeros must not be searched ten thousand times.
TEST(image_scan, overlapping_sections_do_not_make_it_quadratic)
{
    std::string bytes = make_host({{".nv_fatbin", std::string(std::size_t{8} << 20, '\0')}});
    const std::size_t old_headers = read_number<std::uint64_t>(bytes, 40);
    const std::string headers = bytes.substr(old_headers, 128), section = bytes.substr(old_headers + 128, 64);
    put(bytes, 40, std::uint64_t{bytes.size()});
    put(bytes, 60, std::uint16_t{60'000});
    bytes += headers;
    for (int i = 2; i < 60'000; ++i) bytes += section;
    EXPECT_EQ(told(scan_for_images(bytes + any_fatbin)), "");
    EXPECT_EQ(scan_for_images(bytes + any_fatbin).images.size(), 1u);
}

// Every image has the name of its container. Long names must not make a small file use much memory.
TEST(image_scan, long_names_are_shortened)
{
    const std::string fatbin = make_fatbin({any_entry, any_entry});
    const std::string object = make_host({{std::string(10'000, 's'), fatbin}}, 1);
    const std::string bytes =
        "!<arch>\n" + archive_member_of("//", std::string(4000, 'm') + "/\n") + archive_member_of("/0", object);
    const image_scan scan = scan_for_images(bytes);
    ASSERT_EQ(scan.images.size(), 2u);
    EXPECT_LE(scan.images[0].container.size(), 600u);
    EXPECT_NE(scan.images[0].container.find("mmm"), std::string::npos);
    EXPECT_NE(scan.images[0].container.find("sss"), std::string::npos);
}

}  // namespace
}  // namespace launchbox
