#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes python/launchbox/types.py from the schemas of what the tool prints, schema/*.json.

    python/make_types.py            writes it
    python/make_types.py --check    exit status 1 if the file differs from that
"""
from __future__ import annotations

import json
import keyword
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
SCHEMAS = HERE.parent / "schema"
TARGET = HERE / "launchbox" / "types.py"
FIRST = ("occupancy",)  # whose names win if several schemas have the same record
TAKEN = {"to_dict", "to_frame", "messages", "exit_status", "complete"}  # attributes of all records and reports
HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Written by python/make_types.py from schema/; changes here are lost.
"""What the tool answers, as types: a record for each object of its JSON."""
from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, Union

from .records import Record, Report

'''


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))


def singular(name):
    for ending, instead in (("Diagnoses", "Diagnosis"), ("Series", "Series"), ("Axes", "Axis"), ("ss", "ss"),
                            ("sses", "ss"), ("ches", "ch"), ("xes", "x"), ("ies", "y"), ("s", "")):
        if name.endswith(ending):
            return name[:-len(ending)] + instead
    return name


class Writer:
    """Classes of all schemas, each written after those that it needs; equal records share one class."""

    def __init__(self):
        self.classes = []        # texts
        self.names = {}          # of each record, by its content
        self.used = set()
        self.reports = {}        # class of each schema

    def add_schema(self, schema):
        self.definitions = schema.get("$defs", {})
        title = schema["title"]                               # launchbox.kernels/2
        self.prefix = camel(title.split(".", 1)[1].split("/")[0])
        self.reports[title] = self.record(schema, self.prefix, "Report")

    def resolved(self, node):
        while isinstance(node, dict) and "$ref" in node:
            extra = {key: value for key, value in node.items() if key != "$ref"}
            node = {**self.definitions[node["$ref"].rsplit("/", 1)[1]], **extra}
        return node

    def content(self, node):
        """A node with everything that it refers to, without descriptions: records with the same content are one
        class."""
        node = self.resolved(node)
        if isinstance(node, dict):
            return {key: self.content(value) for key, value in node.items() if key != "description" or
                    not isinstance(value, str)}
        return [self.content(each) for each in node] if isinstance(node, list) else node

    def record(self, node, name, base="Record"):
        key = json.dumps(self.content({part: node.get(part) for part in ("properties", "required")}), sort_keys=True)
        if key in self.names:
            return self.names[key]
        while name in self.used:  # "recommendation" beside "recommendations"
            name += "Entry"
        self.used.add(name)
        lines = []
        required = node.get("required", [])
        for member, value in node["properties"].items():
            attribute = member
            if keyword.iskeyword(member) or member in TAKEN:
                attribute += "_"
            if not attribute.isidentifier():
                sys.exit(f"{name}: {member} is no name")
            annotation = self.type_of(value, name + camel(member))
            if member not in required and not annotation.startswith("Optional[") and annotation != "Any":
                annotation = f"Optional[{annotation}]"
            lines.append(f"    {attribute}: {annotation}")
            described = self.resolved(value).get("description")
            if described:
                lines.append(docstring(described, 4))
        self.names[key] = name
        text = [f"class {name}({base}):", docstring(node.get("description", "Part of the tool's answer."), 4), ""]
        text += lines
        self.classes.append("\n".join(wrapped(line) for line in text))
        return name

    def type_of(self, node, name):
        """The annotation."""
        if "$ref" in node:
            name = self.prefix + camel(node["$ref"].rsplit("/", 1)[1])
        node = self.resolved(node)
        for choice in ("oneOf", "anyOf"):
            if choice in node:
                return self.choice_of([self.resolved(each) for each in node[choice]], name, node[choice])
        if "const" in node:
            return f"Literal[{node['const']!r}]"
        if "enum" in node:
            return self.of_values(node["enum"])
        kinds = node.get("type")
        if isinstance(kinds, list):
            return self.choice_of([{**node, "type": kind} for kind in kinds], name)
        if kinds == "object":
            if "properties" in node:
                return self.record(node, name)
            values = node.get("additionalProperties") or next(iter(node.get("patternProperties", {}).values()), None)
            inner = self.type_of(values, name) if isinstance(values, dict) else "Any"
            return f"Dict[str, {inner}]"
        if kinds == "array":
            items = node.get("items")
            if not isinstance(items, dict):
                items = (node.get("prefixItems") or [{}])[0]
            return f"List[{self.type_of(items, singular(name))}]"
        simple = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
        return simple.get(kinds, "Any")

    def choice_of(self, nodes, name, references=None):
        objects = [node for node in nodes if "properties" in node]
        others = [node for node in nodes if "properties" not in node]
        reference = next((each["$ref"] for each in references or [] if "$ref" in each and
                          "properties" in self.resolved(each)), None)
        if reference:
            name = self.prefix + camel(reference.rsplit("/", 1)[1])
        annotations = []
        if objects:  # its members show which of several it is
            merged = {"properties": {}, "required": set(objects[0].get("required", []))}
            for each in objects:
                merged["required"] &= set(each.get("required", []))
                for member, value in each["properties"].items():
                    known = merged["properties"].setdefault(member, value)
                    if known != value:
                        merged["properties"][member] = {**value, "type": "boolean"} if "const" in value and isinstance(
                            value["const"], bool) else {"description": value.get("description", "")}
                        merged["properties"][member].pop("const", None)
            merged["required"] = sorted(merged["required"])
            merged["description"] = next((each["description"] for each in objects if "description" in each),
                                         "Part of the tool's answer.")
            annotations.append(self.record(merged, name))
        for node in others:
            annotation = self.type_of(node, name)
            if annotation not in annotations:
                annotations.append(annotation)
        optional = "None" in annotations
        annotations = [each for each in annotations if each != "None"]
        text = annotations[0] if len(annotations) == 1 else f"Union[{', '.join(annotations)}]"
        return f"Optional[{text}]" if optional else text

    @staticmethod
    def of_values(values):
        texts = [value for value in values if value is not None]
        literal = f"Literal[{', '.join(repr(value) for value in texts)}]"
        return f"Optional[{literal}]" if None in values else literal


def docstring(text, indent):
    text = text.replace("\\", "\\\\").replace('"""', '\\"""')
    lines = textwrap.wrap('"""' + text + '"""', 119 - indent)
    return "\n".join(" " * indent + line for line in lines)


def wrapped(line):
    """Breaks a line that is too long at commas."""
    if len(line) <= 120 or line.lstrip().startswith('"""'):
        return line
    opening = min(line.index(each) for each in "([{" if each in line)
    inner = " " * (opening + 1)
    result, current = [], line[:opening + 1]
    for part in re.findall(r"[^,]*,?\s*", line[opening + 1:]):
        if len(current) + len(part.rstrip()) > 120:
            result.append(current.rstrip())
            current = inner
        current += part
    return "\n".join([*result, current])


def written():
    writer = Writer()
    schemas = [json.loads(path.read_text(encoding="utf-8")) for path in SCHEMAS.glob("launchbox.*.json")]
    schemas.sort(key=lambda schema: (not schema["title"].startswith(tuple(f"launchbox.{each}/" for each in FIRST)),
                                     schema["title"]))
    for schema in schemas:
        writer.add_schema(schema)
    reports = ["# The class of each answer, by its member `schema`.", "REPORTS = {"]
    reports += [f"    {title!r}: {name}," for title, name in sorted(writer.reports.items())] + ["}"]
    return HEAD + "\n" + "\n\n\n".join([*writer.classes, "\n".join(reports)]) + "\n"


def main():
    text = written()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(text, encoding="utf-8")
    elif not TARGET.is_file() or TARGET.read_text(encoding="utf-8") != text:
        sys.exit(f"{TARGET} is not what the schemas say: run python/make_types.py")


if __name__ == "__main__":
    main()
