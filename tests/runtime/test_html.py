"""The page: what a browser would see of it, and that it reads back."""

import base64
import hashlib
import json
from html.parser import HTMLParser

import pytest

import flametap
import ftap


class Page(HTMLParser):
    """The elements of a page as a browser's parser finds them: each with its attributes and its text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.open = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), []))
        self.open = True

    def handle_endtag(self, tag):
        self.open = False

    def handle_data(self, data):
        if self.open:
            self.elements[-1][2].append(data)

    def all(self, tag, **attributes):
        return [(found, "".join(text)) for name, found, text in self.elements
                if name == tag and all(found.get(key) == value for key, value in attributes.items())]


def sha256(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


@pytest.fixture
def recorded(usual_python, tmp_path):
    """The page of a whole run, under the name that flametap chose."""
    program = tmp_path / "shop.py"
    told = tmp_path / "told"
    program.write_text("import os\ndef work():\n    return sum(range(1000))\nwhile not os.path.exists(%r): work()\n" % str(told))
    process = flametap.start("record", "--", *usual_python.command, program, cwd=tmp_path, env=usual_python.environment())
    flametap.wait_until_it_holds(process, tmp_path, lambda recording: "work" in flametap.functions_of(recording), "work")
    told.touch()
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    (path,) = tmp_path.glob("*.html")
    return path


def report(*args):
    done = flametap.run("report", *args)
    assert done.code == flametap.DONE, done
    return done.out


def test_a_recording_without_options_is_a_page_named_after_the_program(recorded):
    assert recorded.name.startswith("shop-")
    assert not list(recorded.parent.glob("*.ftap"))


def test_the_policy_allows_the_page_s_own_script_and_style_only(recorded):
    page = Page(recorded.read_text())
    ((policy, _),) = page.all("meta", **{"http-equiv": "Content-Security-Policy"})
    rules = dict(rule.split(" ", 1) for rule in policy["content"].split("; "))
    ((_, style),) = page.all("style")
    (script,) = [text for attributes, text in page.all("script") if not attributes]
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == sha256(script)
    assert rules["style-src"] == sha256(style)
    assert "connect-src" not in rules
    assert not page.all("link") and not page.all("img") and not [a for a, _ in page.all("script") if "src" in a]


def test_the_recording_in_it_is_an_ftap_file(recorded):
    ((attributes, text),) = Page(recorded.read_text()).all("script", type="application/x-flametap")
    assert attributes["data-name"].startswith("shop-") and attributes["data-name"].endswith(".ftap")
    assert ftap.chunks(base64.b64decode(text, validate=True))


def test_every_format_can_be_made_of_it(recorded):
    everything = json.loads(report(recorded, "-f", "json"))
    assert everything["recording"]["mode"] == "wall"
    assert b"work" in report(recorded, "-f", "folded")
    again = recorded.with_name("again.htm")
    report(recorded, "-o", again)
    assert json.loads(report(again, "-f", "json")) == everything


def test_a_page_of_somebody_else_is_an_error(tmp_path):
    other = tmp_path / "other.html"
    other.write_text("<!doctype html>\n<p>hello</p>\n")
    done = flametap.run("report", other)
    assert done.code == flametap.FAILED, done
    assert "without a recording" in done.err


def test_a_page_that_is_cut_off_says_so(recorded):
    page = recorded.read_bytes()
    cut = recorded.with_name("cut.html")
    cut.write_bytes(page[: page.index(b"</style>")])
    done = flametap.run("report", cut)
    assert done.code == flametap.FAILED, done
    assert "cut off" in done.err
    assert b"not complete" in cut.read_bytes()
    cut.write_bytes(page[: -1000])
    done = flametap.run("report", cut)
    assert done.code == flametap.DONE, done
    assert "cut off" in done.err and b"work" in done.out
