"""Reads the Markdown of the documentation: its blocks of code, its headings and its links."""
import re
from dataclasses import dataclass

FENCE = re.compile(r"^```([\w+-]*)\s*$")
# Of pictures too; the text may have begun on the line before. Code is no link: `a[k](b)`.
LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"(`+).*?\1(?!`)")


@dataclass
class Block:
    """A fenced block: its language, its text, the line it begins on, and the heading above it."""

    language: str
    text: str
    line: int
    section: str


def read(path):
    """The blocks of a page, its headings and, each with its line, its links."""
    blocks, headings, links = [], [], []
    block = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if block:
            if fence:
                blocks.append(block)
                block = None
            else:
                block.text += line + "\n"
        elif fence:
            block = Block(fence[1], "", number + 1, headings[-1] if headings else "")
        elif line.startswith("#"):
            headings.append(line.lstrip("#").strip())
        elif not line.startswith("    "):
            links += [(number, link) for link in LINK.findall(CODE.sub(lambda code: "`" * len(code[0]), line))]
    if block:
        raise ValueError(f"{path}:{block.line}: the block does not end")
    return blocks, headings, links


def anchors(headings):
    """What GitHub makes of headings."""
    made = []
    for heading in headings:
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("\\", "")
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        again = sum(re.fullmatch(re.escape(anchor) + r"(-\d+)?", other) is not None for other in made)
        made.append(f"{anchor}-{again}" if again else anchor)
    return made
