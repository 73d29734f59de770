#include "image/names/demangle.hpp"

#include <gtest/gtest.h>

#include "image/names/demangle_spelling.hpp"

namespace launchbox {
namespace {

struct known_name {
    std::string mangled, demangled, shown;
};

// Names from nvcc 13.0 for kernels written for this test.
const known_name known_names[] = {
    {"plain_c", "plain_c", "plain_c"},
    {"_Z15internal_kernelPi", "internal_kernel(int*)", "internal_kernel"},
    {"_Z5plainPKfPVihPeDn", "plain(float const*, int volatile*, unsigned char, long double*, std::nullptr_t)", "plain"},
    {"_Z10merge_sortIiLi256ELi15EEvPT_i", "void merge_sort<int, 256, 15>(int*, int)", "merge_sort<int, 256, 15>"},
    {"_Z4packIJN2ns5inner3boxId9less_thanEEEEvDpT_",
     "void pack<ns::inner::box<double, less_than>>(ns::inner::box<double, less_than>)",
     "pack<ns::inner::box<double, less_than>>"},
    {"_Z5applyI9less_thanEvT_Pi", "void apply<less_than>(less_than, int*)", "apply<less_than>"},
    {"_Z5applyIZ6launchPiPdEUliiE_EvT_S0_",
     "void apply<launch(int*, double*)::'lambda'(int, int)>(launch(int*, double*)::'lambda'(int, int), int*)",
     "apply<launch(int*, double*)::'lambda'(int, int)>"},
    {"_Z5applyIZ6launchPiPdEUliiE0_EvT_S0_",
     "void apply<launch(int*, double*)::'lambda0'(int, int)>(launch(int*, double*)::'lambda0'(int, int), int*)",
     "apply<launch(int*, double*)::'lambda0'(int, int)>"},
    {"_Z4packIJEEvDpT_", "void pack<>()", "pack<>"},
    {"_Z4packIJidcEEvDpT_", "void pack<int, double, char>(int, double, char)", "pack<int, double, char>"},
    {"_Z4intsIJEEvPi", "void ints<>(int*)", "ints<>"},
    {"_Z4intsIJLi1ELi2ELin3EEEvPi", "void ints<1, 2, -3>(int*)", "ints<1, 2, -3>"},
    {"_Z2ttI9alias_boxiEvPT_IJT0_EE", "void tt<alias_box, int>(alias_box<int>*)", "tt<alias_box, int>"},
    {"_Z9dependentIfEvPN9alias_boxIT_E4typeENS2_6rebindIS1_EE",
     "void dependent<float>(alias_box<float>::type*, alias_box<float>::rebind<float>)", "dependent<float>"},
    {"_Z11by_functionIXadL_Z5twiceiEEEvPi", "void by_function<&twice(int)>(int*)", "by_function<&twice(int)>"},
    {"_Z7enabledIdLi0EEvPT_", "void enabled<double, 0>(double*)", "enabled<double, 0>"},
    {"_Z5autovILj5EEvPi", "void autov<5u>(int*)", "autov<5u>"},
    {"_Z5autovIL4kind1EEvPi", "void autov<(kind)1>(int*)", "autov<1>"},
    {"_Z9by_memberIXadL_ZN6member1xEEEEvPS0_", "void by_member<&member::x>(member*)", "by_member<&member::x>"},
    {"_Z10by_pointerIXadL_Z3varEEEvv", "void by_pointer<&var>()", "by_pointer<&var>"},
    {"_Z7deducedIN6thrust23THRUST_300001_SM_900_NS17counting_iteratorIiNS1_11use_defaultES3_S3_EEEvT_",
     "void deduced<thrust::THRUST_300001_SM_900_NS::counting_iterator<int, "
     "thrust::THRUST_300001_SM_900_NS::use_default, thrust::THRUST_300001_SM_900_NS::use_default, "
     "thrust::THRUST_300001_SM_900_NS::use_default>>(thrust::THRUST_300001_SM_900_NS::counting_iterator<int, "
     "thrust::THRUST_300001_SM_900_NS::use_default, thrust::THRUST_300001_SM_900_NS::use_default, "
     "thrust::THRUST_300001_SM_900_NS::use_default>)",
     "deduced<thrust::THRUST_300001_SM_900_NS::counting_iterator<int, thrust::THRUST_300001_SM_900_NS::use_default, "
     "thrust::THRUST_300001_SM_900_NS::use_default, thrust::THRUST_300001_SM_900_NS::use_default>>"},
    {"_Z8shift_opIXadL_Zls4bitsiEEEvPi", "void shift_op<&operator<<(bits, int)>(int*)",
     "shift_op<&operator<<(bits, int)>"},
    {"_Z7less_opIXadL_Zlt4bitsS0_EEEvPi", "void less_op<&operator<(bits, bits)>(int*)",
     "less_op<&operator<(bits, bits)>"},
    {"_Z4packIJN4cuda3std3__45tupleIJiSt4plusIiEEEEEEvDpT_",
     "void pack<cuda::std::__4::tuple<int, std::plus<int>>>(cuda::std::__4::tuple<int, std::plus<int>>)",
     "pack<cuda::std::__4::tuple<int, std::plus<int>>>"},
    {"_Z4packIJPFifcEEEvDpT_", "void pack<int (*)(float, char)>(int (*)(float, char))", "pack<int (*)(float, char)>"},
    {"_Z5applyIZN6member4hostIiEEvPT_EUliiE_EvS2_Pi",
     "void apply<void member::host<int>(int*)::'lambda'(int, int)>(int, int*)",
     "apply<void member::host<int>(int*)::'lambda'(int, int)>"},
    {"_ZN2ns5inner7by_kindIL4kind1EEEvPi", "void ns::inner::by_kind<(kind)1>(int*)", "ns::inner::by_kind<1>"},
    {"_ZN2ns5inner9by_scopedIL6scopedn3EEEvPi", "void ns::inner::by_scoped<(scoped)-3>(int*)",
     "ns::inner::by_scoped<-3>"},
    {"_ZN2ns5inner9by_scopedIL6scoped7EEEvPi", "void ns::inner::by_scoped<(scoped)7>(int*)", "ns::inner::by_scoped<7>"},
    {"_ZN2ns5inner8literalsILb1ELc65ELj3ELxn5ELm7EEEvPi",
     "void ns::inner::literals<true, (char)65, 3u, -5ll, 7ul>(int*)", "ns::inner::literals<true, 65, 3u, -5ll, 7ul>"},
    {"_ZN40_GLOBAL__N__680e8d83_8_names_cu_8e45071412hidden_plainEPi", "(anonymous namespace)::hidden_plain(int*)",
     "(anonymous namespace)::hidden_plain"},
    {"_ZN40_GLOBAL__N__680e8d83_8_names_cu_8e4507146hiddenIiLi3EEEvPT_",
     "void (anonymous namespace)::hidden<int, 3>(int*)", "(anonymous namespace)::hidden<int, 3>"},
    {"_ZN40_GLOBAL__N__680e8d83_8_names_cu_8e45071411with_hiddenINS_11hidden_typeEEEvPiT_",
     "void (anonymous namespace)::with_hidden<(anonymous namespace)::hidden_type>(int*, (anonymous "
     "namespace)::hidden_type)",
     "(anonymous namespace)::with_hidden<(anonymous namespace)::hidden_type>"},
    {"_ZN40_GLOBAL__N__680e8d83_8_names_cu_8e4507149by_hiddenILNS_11hidden_kindE1EEEvPi",
     "void (anonymous namespace)::by_hidden<((anonymous namespace)::hidden_kind)1>(int*)",
     "(anonymous namespace)::by_hidden<1>"},
};

// LLVM 14 puts every operand into parentheses, later versions only where they are needed.
const known_name names_with_expressions[] = {
    {"_Z5sizedIiEvPAplmlstT_Li2ELi1E_S0_", "void sized<int>(int (*) [sizeof (int) * 2 + 1])", "sized<int>"},
    {"_Z7returnsILi3EfENSt9enable_ifIXltT_Li5EEvE4typeEPT0_PAplT_Li1E_c",
     "std::enable_if<3 < 5, void>::type returns<3, float>(float*, char (*) [3 + 1])", "returns<3, float>"},
};

std::string without_parentheses(std::string text)
{
    std::erase_if(text, [](char c) { return c == '(' || c == ')'; });
    return text;
}

TEST(demangle, reads_what_nvcc_writes)
{
    for (const auto& [mangled, demangled, shown] : known_names) {
        EXPECT_EQ(demangle(mangled), demangled);
        EXPECT_EQ(short_name(demangle(mangled)), shown);
    }
    for (const auto& [mangled, demangled, shown] : names_with_expressions) {
        EXPECT_EQ(without_parentheses(demangle(mangled)), without_parentheses(demangled));
        EXPECT_EQ(short_name(demangle(mangled)), shown);
    }
}

TEST(demangle, the_hash_of_a_build_is_not_shown)
{
    EXPECT_EQ(demangle("_ZN36_GLOBAL__N__9d447444_4_a_cu__Z2lbPfi4anonIiLi256EEEvPT_"),
              demangle("_ZN36_GLOBAL__N__8ff1dbaa_4_b_cu__Z2lbPfi4anonIiLi256EEEvPT_"));
}

TEST(demangle, leaves_other_names_alone)
{
    for (const std::string name : {"", "_", "_Z", "main", "_Zq", "ampere_sgemm_128x64_nn", "$_Z5recurPi$_Z3reci", "_ZN",
                                   "_Z1fI", "_Z9999999999f"})
        EXPECT_EQ(demangle(name), name);
    const std::string with_nul("_Z1fv\0x", 7);
    EXPECT_EQ(demangle(with_nul), with_nul);
}

TEST(demangle, output_is_capped)
{
    EXPECT_LE(demangle("_Z1f" + std::string(8000, 'P') + "i").size(), 65536u);
    const std::string too_long = "_Z1f" + std::string(100000, 'P') + "i";
    EXPECT_EQ(demangle(too_long), too_long);
}

TEST(demangle, has_one_spelling_for_all_versions_of_llvm)
{
    const std::pair<std::string, std::string> cases[] = {
        {"", ""},
        {"void f<a<b<c> > >(a<b<c> > const&)", "void f<a<b<c>>>(a<b<c>> const&)"},
        {"void f<a<b<c>>>(int)", "void f<a<b<c>>>(int)"},
        {"void f<&(g(int)), &(h<int>)>()", "void f<&g(int), &h<int>>()"},
        {"void f<&(void g<int>(int))>()", "void f<&void g<int>(int)>()"},
        {"void f<!(true)>()", "void f<!true>()"},
        {"void f<!((a) && (b))>()", "void f<!((a) && (b))>()"},
        {"void f<int (&)(int), int (&&)(int)>()", "void f<int (&)(int), int (&&)(int)>()"},
        {"void f<(a<b> > 3)>()", "void f<(a<b> > 3)>()"},
        {"void f<((a<b>) > (3)), a<b> >()", "void f<((a<b>) > (3)), a<b>>()"},
        {"void f<((1) >> (3)), a<b> >()", "void f<((1) >> (3)), a<b>>()"},
        {"void f<a<b> >= 3, a<b> >()", "void f<a<b> >= 3, a<b>>()"},
        {"void f<(1) < (3), a<b> >()", "void f<(1) < (3), a<b>>()"},
        {"void f<(1) << (3), a<b> >()", "void f<(1) << (3), a<b>>()"},
        {"bool a::operator> <int>(a<b<c> >)", "bool a::operator> <int>(a<b<c>>)"},
        {"void f<&(operator<<int>(a<b<c> >))>()", "void f<&operator<<int>(a<b<c>>)>()"},
        {"void f<&(operator<<(a<b<c> >))>()", "void f<&operator<<(a<b<c>>)>()"},
        {"void f<decltype(a->b), a<b> >()", "void f<decltype(a->b), a<b>>()"},
        {"(((<&(<", "(((<&(<"},
        {"> > )) >", "> > )) >"},
    };
    for (const auto& [written, spelling] : cases) EXPECT_EQ(one_spelling(written), spelling);
}

TEST(short_name, drops_parts_that_people_do_not_read)
{
    const std::pair<std::string, std::string> cases[] = {
        {"", ""},
        {"kernel", "kernel"},
        {"void merge_sort<int, (int)256, (int)15>(int*, int)", "merge_sort<int, 256, 15>"},
        {"void merge_sort<int, (int)-256>(T1 *, int)", "merge_sort<int, -256>"},
        {"void f<(bool)1, (unsigned int)3, (ns::kind<int>)2>()", "f<1, 3, 2>"},
        {"void a::b::operator()(int) const", "a::b::operator()"},
        {"void a::operator()<int, (int)3>(int) const", "a::operator()<int, 3>"},
        {"bool a::operator< <int>(int)", "a::operator< <int>"},
        {"bool a::operator<<int>(int)", "a::operator<<int>"},
        {"a::operator bool() const", "a::operator bool"},
        {"a::operator unsigned int() const", "a::operator unsigned int"},
        {"void f<((sizeof(int)) > (4)), int>(int)", "f<((sizeof(int)) > (4)), int>"},
        {"void f<((sizeof(int)) < (4)), a<b> >(int)", "f<((sizeof(int)) < (4)), a<b> >"},
        {"void f<((1) << (4))>(int)", "f<((1) << (4))>"},
        {"void f<((1)>>(4))>(int)", "f<((1)>>(4))>"},
        {"void f<a<b<c>>>(int)", "f<a<b<c>>>"},
        {"void f<decltype(a->b)>(int)", "f<decltype(a->b)>"},
        {"auto host(int)::{lambda(int)#1}::operator()<int>(int) const", "host(int)::{lambda(int)#1}::operator()<int>"},
        {"void (anonymous namespace)::f<(anonymous namespace)::t>(int)",
         "(anonymous namespace)::f<(anonymous namespace)::t>"},
        {"(anonymous namespace)::variable", "(anonymous namespace)::variable"},
        {"std::enable_if<(3) < (5), void>::type f<3>(int (*) [4])", "f<3>"},
        {"void f<int (*)(float)>(int (*)(float))", "f<int (*)(float)>"},
        {"void f<int>(int) [clone .1]", "f<int>"},
        {"f[abi:cxx11](int)", "f[abi:cxx11]"},
        {"__main__::add[abi:v2][abi:cw51cXTLSUwv1sDUaKthq_3d](Array<float, 1, C, mutable, aligned>)", "__main__::add"},
        {"f[abi:v2](int)", "f[abi:v2]"},
        {"f[abi:v][abi:c1](int)", "f[abi:v][abi:c1]"},
        {"f[abi:v1][abi:c1", "f[abi:v1][abi:c1"},
        {"(((", "((("},
        {")>]}", ")>]}"},
        {"f<(<(<", "f<(<(<"},
        {"operator", "operator"},
    };
    for (const auto& [demangled, shown] : cases) EXPECT_EQ(short_name(demangled), shown) << demangled;
}

TEST(short_name, takes_linear_time)
{
    for (const std::string unit :
         {"[", "(", "<", "<(", "([", "([)", "(int)1", "operator<", "operator()", "f<(int)1,"}) {
        std::string text;
        while (text.size() < (4u << 20)) text += unit;
        EXPECT_LE(short_name(text + ")").size(), text.size() + 1);
    }
}

}  // namespace
}  // namespace launchbox
