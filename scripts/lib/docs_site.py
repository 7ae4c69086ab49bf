"""The functions that MkDocs calls when it makes the site (mkdocs.yml). They add pages from outside docs/, and adapt the links.

The site has all pages under docs/. README.md is its first page. What these pages link to outside docs/ becomes a page, too:
Markdown as it is, a source file as its text, a folder as a list. A link to a public header leads to the page that Doxygen made of
it. tests/docs/links_test.py uses the functions that read Markdown.
"""
import pathlib
import posixpath
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "build/doxygen/reference"
SEARCH = "assets/iframe-worker.js"  # the offline plugin looks for this name, and would load another file from the network
FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^`]*)$")
LINK = re.compile(r"(?P<before>\]\()(?P<to>[^()\s]+)(?P<after>(?: \"[^\"]*\")?\))")
HEADING = re.compile(r"^(?P<level>#{1,6}) +(?P<text>.+?) *#* *$")
ITEM = re.compile(r"^ *([-*+]|\d+\.) ")
LIST_BEGINS = re.compile(r"^ *([-*+]|1\.) ")  # after a line of a paragraph
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".h": "c", ".c": "c", ".py": "python", ".txt": "text"}


def fenced(lines):
    """(line, whether it belongs to a block of code) for each line. The fences belong to the block."""
    inside = False
    for line in lines:
        fence = bool(FENCE.match(line))
        yield line, inside or fence
        inside ^= fence


def blank_code(text):
    """The text with spaces in place of code (blocks, and text between backticks): nothing in code is a link."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    lines = "\n".join(" " * len(line) if code else line for line, code in fenced(text.split("\n")))
    return re.sub(r"(?<!`)(`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)\1(?!`)", blank, lines, flags=re.DOTALL)


def is_local(to):
    return not re.match(r"[a-z][a-z0-9+.-]*:", to)


def links(text):
    """(number of the line, target) of each local link and picture."""
    plain = blank_code(text)
    for match in LINK.finditer(plain):
        if is_local(match["to"]):
            yield plain.count("\n", 0, match.start()) + 1, match["to"]


def anchor_of(words, separator="-"):
    """The anchor that GitHub makes of a heading. MkDocs is told to make the same."""
    return re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", separator)


def heading_words(text):
    """A heading without its marks: a link becomes its text, and the marks of code and emphasis are removed."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"(\*\*?|`)(.+?)\1", r"\2", text)


def anchors(text):
    """The anchors of a page. Of headings with the same words only the first counts: GitHub and MkDocs name the others differently."""
    return {anchor_of(heading_words(match["text"])) for line, code in fenced(text.splitlines()) if not code and (match := HEADING.match(line))}


def doxygen_page(path):
    """The page of the reference for include/ductile/NAME, if Doxygen made one."""
    name = path.removeprefix("include/ductile/").replace("_", "__").replace(".", "_8") + ".html"
    return f"reference/{name}" if path.startswith("include/ductile/") and (REFERENCE / name).exists() else None


def page_of(path):
    """Where a file or a folder of the repository is in the site."""
    if path == "README.md":
        return "index.md"
    if (ROOT / path).is_dir():
        readme = (ROOT / path / "README.md").exists()
        return page_of(f"{path}/README.md") if readme else f"{path.removeprefix('docs/')}/index.md"
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.endswith(".md"):
        return path if "/" in path else path.lower()
    return doxygen_page(path) or f"source/{path}.md"


def content_of(path):
    """The content of a page that is added to those under docs/."""
    file = ROOT / path
    if file.is_dir():
        names = sorted(one.name for one in file.iterdir() if one.suffix == ".md")
        if not path.startswith("docs/"):
            names = []
        titles = [(name, (file / name).read_text(encoding="utf-8").splitlines()[0].lstrip("# ")) for name in names]
        return f"# {path.removeprefix('docs/')}\n\n" + "".join(f"- [{title}]({name})\n" for name, title in titles)
    text = file.read_text(encoding="utf-8")
    return text if file.suffix == ".md" else f"# {path}\n\n````{LANGUAGES.get(file.suffix, 'text')}\n{text}````\n"


def target_path(page, to):
    """What a link on a page of the repository leads to, as a path in the repository. If it is only an anchor: the page itself."""
    path = to.partition("#")[0]
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page


def pages_beside(pages):
    """The paths in the repository that these pages link to, directly or through other pages, and that are not pages under docs/."""
    found, ahead = set(), list(pages)
    while ahead:
        page = ahead.pop()
        for _, to in links((ROOT / page).read_text(encoding="utf-8")):
            path = target_path(page, to)
            folder = (ROOT / path).is_dir()
            inside = path.startswith("docs/") and not folder
            if folder and (ROOT / path / "README.md").exists():
                path, inside = f"{path}/README.md", path.startswith("docs/")
            if not inside and path not in found and path not in pages and (ROOT / path).exists():
                found.add(path)
                ahead += [path] if path.endswith(".md") else []
    return found


def relinked(markdown, path):
    """The same text with links to the places of the pages in the site."""
    here = posixpath.dirname(page_of(path))

    def one(match):
        if not is_local(match["to"]) or match["to"].startswith("#"):
            return match[0]
        to = page_of(target_path(path, match["to"]))
        anchor = match["to"].partition("#")[2]
        return f"{match['before']}{posixpath.relpath(to, here or '.')}{'#' * bool(anchor)}{anchor}{match['after']}"
    out, at = [], 0
    for match in LINK.finditer(blank_code(markdown)):
        out += [markdown[at:match.start()], one(match)]
        at = match.end()
    return "".join(out) + markdown[at:]


def as_mkdocs_reads(markdown):
    """The same page for Python-Markdown: an empty line before each list and table, and no words after the language of code."""
    out = []
    for line, code in fenced(markdown.splitlines()):
        before = out[-1] if out else ""
        fence = FENCE.match(line)
        begins = not code and (LIST_BEGINS.match(line) or line.startswith("|"))
        if begins and before.strip() and not ITEM.match(before) and not before.startswith(("|", " ")):
            out.append("")
        if fence:
            line = f"{fence['indent']}```{fence['info'].partition(' ')[0]}"
        out.append(line)
    return "\n".join(out) + "\n"


def path_of(file):
    """The page's path in the repository."""
    return getattr(file, "repository_path", f"docs/{file.src_uri}")


# ---- what MkDocs calls


def on_config(config):
    config.mdx_configs["toc"] = {**config.mdx_configs.get("toc", {}), "slugify": anchor_of}
    config.extra["version"] = re.search(r"VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    config.extra["polyfills"] = [SEARCH]
    return config


def on_files(files, config):
    from mkdocs.structure.files import File
    pages = ["README.md", *(f"docs/{file.src_uri}" for file in files if file.src_uri.endswith(".md"))]
    for path in ["README.md", *sorted(pages_beside(pages))]:
        page = page_of(path)
        if not page.startswith("reference/"):
            file = File.generated(config, page, content=content_of(path))
            file.repository_path = path
            files.append(file)
    files.append(File.generated(config, SEARCH, abs_src_path=str(ROOT / "scripts/lib/iframe_worker.js")))
    for made in sorted(REFERENCE.rglob("*")):
        if made.is_file():
            files.append(File(made.relative_to(REFERENCE.parent).as_posix(), str(REFERENCE.parent), config.site_dir, config.use_directory_urls))
    return files


def on_page_markdown(markdown, page, config, files):
    path = path_of(page.file)
    return as_mkdocs_reads(relinked(markdown, path) if path.endswith(".md") else markdown)


def on_post_build(config):
    """Refuses a page that loads something from the network when it is viewed."""
    from mkdocs.exceptions import PluginError
    fetched = re.compile(r"<(?:script|link|img|iframe|source|video)\b[^>]*?(?:src|href)=[\"']?(?:https?:)?//[^>]*>")
    for page in sorted(pathlib.Path(config.site_dir).rglob("*.html")):
        found = fetched.search(page.read_text(encoding="utf-8"))
        if found:
            raise PluginError(f"{page} loads something from the network when it is viewed: {found[0]}")
