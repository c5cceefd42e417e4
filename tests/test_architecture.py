"""The structure of the code, checked by parsing it."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ORDER = ["review", "sampling", "scoring", "peb_site"]  # each may import itself and what stands before it
IMPURE = {
    "admin",
    "api",
    "apps",
    "jobs",
    "management",
    "migrations",
    "models",
    "store",
    "urls",
    "views",
    "forms",
    "serializers",
    "workflow",
    "intake",
    "charts",
    "templatetags",
}
PURE_IN_REVIEW = {"blinding", "quotes", "rules", "reading", "settling", "canonical"}
PURE_LIBRARIES = {"numpy", "pandas", "scipy"}
FUNCTION, VIEW, MODULE, TEMPLATE, PARTIAL = 40, 25, 400, 120, 60


def modules():
    return [path for app in ORDER for path in sorted((ROOT / app).rglob("*.py")) if "migrations" not in path.parts]


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: imports are absolute"
            yield node.module or ""


def is_pure(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] == "review":
        return parts[1] in PURE_IN_REVIEW
    return parts[0] in ("sampling", "scoring") and not IMPURE & set(parts) and parts[-1] != "__init__"


def test_imports_point_one_way():
    for path in modules():
        app = path.relative_to(ROOT).parts[0]
        above = ORDER[ORDER.index(app) + 1 :]
        wrong = [name for name in imported(path) if name.partition(".")[0] in above]
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}, which stands above {app}"


def test_pure_modules_import_no_framework():
    pure = [path for path in modules() if is_pure(path)]
    assert len(pure) >= 15
    for path in pure:
        for name in imported(path):
            top = name.partition(".")[0]
            ours = ROOT / Path(*name.split(".")).with_suffix(".py")
            allowed = top in sys.stdlib_module_names or top in PURE_LIBRARIES or (ours.exists() and is_pure(ours))
            assert allowed, f"{path.relative_to(ROOT)} is pure and imports {name}"


def test_a_wrong_import_is_found(tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text("from scoring.models import Report\nimport django\n")
    assert {"scoring.models", "django"} <= set(imported(bad))


def functions(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            yield node.name, (node.end_lineno - body[0].lineno + 1) if body else 0


def test_sizes_stay_readable():
    for path in modules():
        name = path.relative_to(ROOT)
        assert len(path.read_text().splitlines()) <= MODULE, name
        limit = VIEW if "views" in str(name) else FUNCTION
        for function, lines in functions(path):
            assert lines <= limit, f"{name}: {function} has {lines} lines"
    for path in (ROOT / "templates").rglob("*.html"):
        limit = PARTIAL if path.name.startswith("_") else TEMPLATE
        assert len(path.read_text().splitlines()) <= limit, path.name


def test_views_fetch_only_through_access():
    for path in [
        *(ROOT / "review" / "views").glob("*.py"),
        ROOT / "sampling" / "views.py",
        ROOT / "scoring" / "views.py",
    ]:
        if path.name != "access.py":
            found = re.findall(r"\b(?:Audit|Packet|Assignment|Judgment|Job)\.objects\.get\(", path.read_text())
            assert not found, path.name


@pytest.mark.parametrize("word", ["utils", "helpers", "common", "services", "core"])
def test_there_is_no_drawer(word):
    assert not [path for path in modules() if path.stem == word or word in path.parts]


def test_a_web_process_loads_no_heavy_library():
    code = (
        "import os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'peb_site.settings'\n"
        "import django; django.setup()\n"
        "from django.urls import get_resolver; get_resolver().url_patterns\n"
        "print([name for name in ('pandas', 'scipy', 'numpy') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_locks_name_no_address():
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text()
        assert "://" not in text
        assert "--hash=sha256:" in text


def test_assets_come_from_here():
    pattern = re.compile(r"""(?:src|href)=["']https?://|url\(["']?https?://|@import""")
    for path in [*(ROOT / "templates").rglob("*.html"), ROOT / "static" / "app.css", ROOT / "static" / "review.js"]:
        assert not pattern.search(path.read_text()), path.name


def test_every_partial_says_what_it_needs():
    for path in (ROOT / "templates").rglob("_*.html"):
        assert path.read_text().startswith("{# Needs: "), path.name
