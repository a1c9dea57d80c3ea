"""Trees of XML files, and files that are meant to do harm."""

import sys

import pytest

from fibermsk.errors import ModelError
from fibermsk.read import xml_tree
from fibermsk.read.xml_tree import read_xml


@pytest.fixture
def write(tmp_path):
    def to_file(content, name="file.xml"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return to_file


def refused(path, *words):
    with pytest.raises(ModelError) as error:
        read_xml(path)
    for word in (str(path), *words):
        assert word in str(error.value)


def test_tree_knows_tags_attributes_texts_and_lines(write):
    root = read_xml(write("<a>\n <b name=' x '> 1 <c/>\n 2 </b>\n <!-- no -->\n <b/>\n</a>"))
    first, second = root.find("b")
    assert (first.name, first.line, first.text.split()) == ("x", 2, ["1", "2"])
    assert (second.line, second.text, second.parent) == (5, "", root)
    assert first.children[0].path == "x/c"
    assert [element.tag for element in root.walk()] == ["a", "b", "c", "b"]
    assert repr(first) == "<b 'x', line 2>"


def test_references_that_xml_itself_knows_are_read(write):
    assert read_xml(write("<a>&lt;&#65;&amp;<![CDATA[<b>]]></a>")).text == "<A&<b>"


BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">
<!ENTITY lol3 "&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;">]>
<lolz>&lol3;</lolz>"""


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://nowhere/x.dtd"> %p;]><a/>',
        "<!DOCTYPE a><a/>",
    ],
)
def test_document_types_and_entities_are_refused(write, text):
    refused(write(text), "line ", "entity", "must be a model that OpenSim wrote")


def test_what_is_not_well_formed_is_refused_with_its_line(write):
    refused(write("<a>\n<b>\n</a>"), "line 3", "mismatched tag")
    refused(write(""), "no element found")
    refused(write("<a>&nothing;</a>"), "undefined entity")
    refused(write("<a/>\n<b/>"), "line 2", "junk")
    refused(write(b"\x00\x01\x02"), "not well-formed")
    refused(write("plain text"), "not well-formed")
    refused(write("<a>" * 3), "no element found")


def test_encodings(write):
    assert read_xml(write("<a>\u00e9</a>".encode("utf-16"))).text == "\u00e9"
    latin = '<?xml version="1.0" encoding="ISO-8859-1"?><a>\u00e9</a>'.encode("latin-1")
    assert read_xml(write(latin)).text == "\u00e9"
    assert read_xml(write(b"\xef\xbb\xbf<a>x</a>")).text == "x"
    refused(write(b"<a>\xff\xfe</a>"), "invalid token")
    refused(write('<?xml version="1.0" encoding="klingon"?><a/>'), "unknown encoding")
    refused(write('<?xml version="1.0" encoding="utf-7"?><a/>'))
    refused(write('<?xml version="1.0" encoding="big5"?><a/>'))


def test_depth_number_and_size_are_limited(write, tmp_path, monkeypatch):
    refused(write("<a>" * 20000 + "</a>" * 20000), "nested more than 100 deep")
    with monkeypatch.context() as small:
        small.setattr(xml_tree, "MAX_ELEMENTS", 30)
        refused(write("<a>" + "<b/>" * 50 + "</a>"), "more than 30 elements")
    huge = tmp_path / "huge.xml"
    with huge.open("wb") as file:  # a sparse file: 100 MB that nobody reads
        file.write(b"<a>")
        file.truncate(100 * 2**20)
    refused(huge, "100 MB", "must be 64 MB or less")


def test_what_is_no_file_is_refused(tmp_path):
    refused(tmp_path / "missing.xml", "no such file")
    refused(tmp_path, "not a file")
    if sys.platform != "win32":
        locked = tmp_path / "locked.xml"
        locked.write_text("<a/>")
        locked.chmod(0)
        try:
            locked.read_bytes()
        except PermissionError:
            refused(locked, "cannot be read")
