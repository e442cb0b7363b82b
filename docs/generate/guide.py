#!/usr/bin/env python3
"""Makes a test of the guide, and checks the links of all pages.

    guide.py blocks <the source tree> <to>...    writes C++ files that have every block of C++ of README.md and docs/guide, and what
                                                 it prints
    guide.py links <the source tree>             fails where a page links to a file or a heading that is not there

The blocks of a section follow on from each other: they are one function. A block with a main is a program of its own. A block
that begins with `// On a GPU` is compiled, and run where there is one; a section that includes what is not installed, such as
<Eigen/Core>, is left out. A block of text is what has been printed since the one before; three dots in it stand for anything.
"""
import pathlib
import re
import sys

from read_pages import anchors, read

PRELUDE = """#include "test/guide/guide.hpp"

namespace {

using namespace guide;

"""
MAIN = re.compile(r"^int main\(\) \{$", re.M)
INCLUDE = re.compile(r"^#include ([<\"].*[>\"]).*$", re.M)
ON_A_GPU = "// On a GPU"


def sections(page):
    """The blocks that are one function: those of C++ below one heading, or a program, and the texts that follow."""
    made = []
    heading = None
    for block in read(page)[0]:
        if block.language == "cpp":
            if not made or block.section != heading or MAIN.search(block.text):
                made.append([])
                heading = block.section
            made[-1].append(block)
        elif block.language == "text" and made:
            made[-1].append(block)
    return made


def is_optional(header):
    return header[0] == "<" and not header.startswith("<sinter/")


def includes_of(blocks):
    return sorted({header for b in blocks if b.language == "cpp" for header in INCLUDE.findall(b.text)})


def write_section(path, blocks, out):
    needs = [header for header in includes_of(blocks) if is_optional(header)]
    if needs:
        out.append("#if " + " && ".join(f"__has_include({header})" for header in needs))
    name = f"{re.sub(r'[^a-z0-9]', '_', str(path.with_suffix('')).lower())}_{blocks[0].line}"
    place = f'"{path}"'
    if MAIN.search(blocks[0].text):
        out.append(f"namespace program_{name} {{\n#line {blocks[0].line} {place}")
        out.append(MAIN.sub("void main_of() {", INCLUDE.sub("", blocks[0].text)) + "}")
    out.append(f"void {name}() {{")
    for block in blocks:
        if block.language == "text":
            out.append(f'  printed({place}, {block.line}, R"printed({block.text})printed");')
            continue
        text = f"#line {block.line} {place}\n{INCLUDE.sub('', block.text)}"
        if MAIN.search(block.text):
            text = f"  program_{name}::main_of();"
        elif block.text.startswith(ON_A_GPU):
            text = f"  if (sn::device::cuda_count() > 0) {{\n{text}  }}"
        out.append(f"  at({place}, {block.line});\n{text}")
    out.append(f"}}\nconst section {name}_runs({name});")
    if needs:
        out.append("#endif")
    out.append("")


def write_blocks(tree, targets):
    tree = pathlib.Path(tree)
    pages = [tree / "README.md", *sorted((tree / "docs/guide").glob("*.md"))]
    parts = [[] for _ in targets]
    for page in pages:
        shortest = min(range(len(parts)), key=lambda i: sum(len(b.text) for _, bs in parts[i] for b in bs))
        parts[shortest] += [(page, blocks) for blocks in sections(page)]
    for target, part in zip(targets, parts):
        out = [
            f"#if __has_include({header})\n#include {header}\n#endif" if is_optional(header) else f"#include {header}"
            for header in includes_of([b for _, blocks in part for b in blocks])
        ]
        out.append(PRELUDE)
        for page, blocks in part:
            write_section(page.relative_to(tree), blocks, out)
        pathlib.Path(target).write_text("\n".join(out) + "\n}  // namespace\n")


def check_links(tree):
    tree = pathlib.Path(tree).resolve()
    pages = [tree / "README.md", *sorted((tree / "docs").rglob("*.md")), *sorted((tree / "samples").rglob("*.md"))]
    known = {page: set(anchors(read(page)[1])) for page in pages}
    wrong = count = 0
    for page in pages:
        for line, link in read(page)[2]:
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                reason = "there is no such file"
            elif anchor and anchor not in known.get(target, ()):
                reason = "the page has no such heading"
            else:
                continue
            wrong += 1
            print(f"{page.relative_to(tree)}:{line}: {link}: {reason}")
    print(f"{count} links on {len(pages)} pages, {wrong} of them wrong")
    return wrong > 0 or count == 0


if sys.argv[1] == "blocks":
    write_blocks(sys.argv[2], sys.argv[3:])
else:
    sys.exit(check_links(sys.argv[2]))
