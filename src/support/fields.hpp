// The members of a record, each listed once: all readers and writers of the record, in any format, use this list.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tuple>

namespace launchbox {

template <class Record, class Value>
struct field {
    const char* name;  ///< in files, columns and messages
    Value Record::*member;

    constexpr field(const char* as, Value Record::*of) : name(as), member(of) {}
    constexpr auto& in(auto& record) const { return record.*member; }
};

/// A field of a part of the record.
template <class Record, class Part, class Value>
struct part_field {
    const char* name;
    Part Record::*part;
    Value Part::*member;

    constexpr part_field(const char* as, Part Record::*of, Value Part::*what) : name(as), part(of), member(what) {}
    constexpr auto& in(auto& record) const { return record.*part.*member; }
};

/// A record has a function `fields_of(record)` next to it, which returns a tuple of fields.
template <class Record>
concept has_fields = requires(const Record& record) { fields_of(record); };

/// Calls visit("threads", record.threads) for each field, in order.
template <class Record, class Fields, class Visit>
constexpr void each_field(Record& record, const Fields& fields, Visit&& visit)
{
    std::apply([&](const auto&... each) { (visit(each.name, each.in(record)), ...); }, fields);
}

template <class Record, class Visit>
constexpr void each_field(Record& record, Visit&& visit)
{
    each_field(record, fields_of(record), visit);
}

/// "threads, items"
template <class Fields>
std::string names_of(const Fields& fields)
{
    std::string names;
    std::apply([&](const auto&... each) { ((names += (names.empty() ? "" : ", ") + std::string(each.name)), ...); },
               fields);
    return names;
}

}  // namespace launchbox
