#!/usr/bin/env python3
"""Builds a site of the documents, which opens without a server and needs no network. Needs MkDocs 1.4 and its theme Material 8.

    site.py <the source tree> <work folder> <folder to write to>

The pages are those of the tree, in the same folders, so that their links hold. What GitHub's Markdown has and Python's has not is
rewritten on the way. It fails where a page links to something that the site does not have.
"""
import html
import json
import pathlib
import re
import shutil
import sys

try:
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.utils import get_theme_names
except ImportError:
    get_theme_names = list

from read_pages import CODE, FENCE, anchors, read

# Two files would be index.html: a folder's README.md is that.
RENAMED = {"index.md": "index_header.md"}


def as_python_reads_it(text):
    """A list begins behind an empty line; \\< is no escape; in tables a bar in code is no end of a cell."""
    lines, in_code, before = [], False, ""
    for line in text.splitlines():
        if FENCE.match(line):
            in_code = not in_code
        elif not in_code:
            if re.match(r"(-|\d+\.) ", line) and before and not re.match(r"(-|\d+\.| ) ?", before):
                lines.append("")
            codes = [match.span() for match in CODE.finditer(line)]
            line = re.sub(r"\\<", lambda m: m[0] if any(a < m.start() < b for a, b in codes) else "&lt;", line)
            if line.startswith("|"):
                line = CODE.sub(lambda m: m[0].replace("\\|", "|"), line)
        before = line
        lines.append(line)
    return "\n".join(lines) + "\n"


def pages_of(tree):
    yield tree / "README.md"
    yield from sorted((tree / "docs").rglob("*.md"))
    yield from sorted((tree / "samples").rglob("*.md"))


def stage(tree, work):
    """Copies the pages, and all that they link to. A folder that is linked to gets a page of what is in it."""
    shutil.rmtree(work, ignore_errors=True)
    for page in pages_of(tree):
        text = page.read_text()
        for link in {link.partition("#")[0] for _, link in read(page)[2]}:
            source = (page.parent / link).resolve()
            target = work / source.relative_to(tree) if source.is_relative_to(tree) else None
            if not link or ":" in link or not source.exists():
                continue
            if source.is_dir():
                text = text.replace(f"]({link})", f"]({link.rstrip('/')}/README.md)")
                list_folder(source, target)
            elif source.name in RENAMED:
                text = re.sub(rf"\]\({re.escape(link)}(?=[)#])", f"]({link[: -len(source.name)]}{RENAMED[source.name]}", text)
            elif source.suffix != ".md":
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
        target = work / page.relative_to(tree)
        target = target.with_name(RENAMED.get(target.name, target.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(as_python_reads_it(text))


def list_folder(source, target):
    target.mkdir(parents=True, exist_ok=True)
    text = f"# {source.name.capitalize()}\n\n"
    for file in sorted(file for file in source.rglob("*") if file.is_file()):
        name = file.relative_to(source)
        text += f"- [{read(file)[1][0] if file.suffix == '.md' else name}]({name})\n"
        if file.suffix != ".md":
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target / name)
    (target / "README.md").write_text(text)


def navigation(work):
    """The order of the guide is that of its index."""
    docs = work / "docs"
    guide = list(dict.fromkeys(link for _, link in read(docs / "guide/README.md")[2] if re.fullmatch(r"\w+\.md", link)))
    several = lambda folder, names: [f"docs/{folder}/{name}" for name in ["README.md", *names]]
    names = lambda folder: sorted(p.name for p in (docs / folder).glob("*.md") if p.name != "README.md")
    samples = [str(page.relative_to(work)) for page in sorted((work / "samples").rglob("*.md"))]
    return [
        {"Overview": "README.md"},
        {"Guide": several("guide", guide)},
        {"Functions": ["docs/numpy.md", "docs/operations.md", {"Reference": several("reference", names("reference"))}]},
        {"Samples": ["docs/samples.md", *samples]},
        {"In depth": ["docs/threads.md", "docs/profiling.md", "docs/benchmarks.md"]},
        {"Development": ["docs/architecture.md", "docs/contributing.md", "docs/CHANGELOG.md",
                         {"Decisions": several("decisions", names("decisions"))}]},
    ]


def build_site(tree, work, site):
    look = pathlib.Path(__file__).resolve().parent / "site"
    (work.parent / "mkdocs.yml").write_text("site_name: Sinter\n")
    palette = [{"scheme": scheme, "media": f"(prefers-color-scheme: {media})", "primary": "teal",
                "toggle": {"icon": f"material/{icon}", "name": f"{other} colours"}}
               for scheme, media, icon, other in (("default", "light", "weather-night", "dark"),
                                                  ("slate", "dark", "weather-sunny", "light"))]
    build(load_config(
        config_file=str(work.parent / "mkdocs.yml"), docs_dir=str(work), site_dir=str(site), use_directory_urls=False,
        site_description="NumPy in C++ with one kernel where others launch twenty", nav=navigation(work),
        theme={"name": "material", "custom_dir": str(look), "font": False, "palette": palette,
               "features": ["navigation.tabs", "navigation.top", "search.highlight"]},
        extra_css=["assets/sinter.css"], plugins=["search"],
        markdown_extensions=["tables", {"pymdownx.highlight": {"guess_lang": False}}, "pymdownx.superfences",
                             {"toc": {"permalink": True, "slugify": lambda text, _: anchors([text])[0]}}]))
    # A page that was opened as a file can read this.
    index = (site / "search/search_index.json").read_text()
    (site / "search/search_index.js").write_text(f"var search_index = {index};\n")


def check(site):
    """Every link within the site leads to a file and a place that are there."""
    pages = {page: page.read_text() for page in site.rglob("*.html") if page.name != "404.html"}
    places = {page: set(re.findall(r'\bid="([^"]*)"', text)) for page, text in pages.items()}
    wrong = set()
    for page, text in pages.items():
        for link in re.findall(r'\b(?:href|src)="([^"]*)"', text):
            path, _, place = html.unescape(link).partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            target = (page.parent / path).resolve() if path else page
            if not target.is_file() or place and place not in places.get(target, ()):
                wrong.add(f"{page.relative_to(site)}: {link}")
    for line in sorted(wrong):
        print(line)
    print(f"{len(pages)} pages, {len(wrong)} wrong links")
    return bool(wrong)


if __name__ == "__main__":
    if "material" not in get_theme_names():
        print("site.py needs MkDocs and its theme Material (Debian: mkdocs-material)", file=sys.stderr)
        sys.exit(77)
    tree, work, site = (pathlib.Path(given).resolve() for given in sys.argv[1:])
    stage(tree, work)
    build_site(tree, work, site)
    sys.exit(check(site))
