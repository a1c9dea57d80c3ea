import json

import pytest

from fibermsk import bench
from fibermsk.bench import Bench, Findings


@pytest.fixture
def benches(monkeypatch):
    """Two benches that take no time."""

    def quick(options):
        options.say("measuring")
        findings = Findings(ratios={"peer": 2.0, "absent": None, "factors": [4.0, 4.125]})
        findings.add("a case", "fibermsk", 8, 0.125, steps=3, secret=float("nan"))
        findings.add("a case", "peer", 8, 0.25, steps=30)
        findings.add("roofline", "fibermsk", 8, 0.5)
        findings.notes.append(f"quick {options.quick}, threads {options.threads}")
        return findings

    def failing(options):
        raise RuntimeError("out of breath")

    made = {
        "fast": Bench("fast", "takes no time", quick),
        "broken": Bench("broken", "does not work", failing),
    }
    monkeypatch.setattr(bench, "BENCHES", made)


def test_without_a_name_they_are_listed(cli, benches):
    done = cli("bench")
    assert done.exit_code == 0
    assert "fast    takes no time" in done.stdout and "broken  does not" in done.stdout
    listed = json.loads(cli("bench", "--json").stdout)
    assert listed["benches"][0] == {"name": "fast", "title": "takes no time"}


def test_json_is_one_object(cli, benches):
    done = cli("bench", "fast", "--json", "--quick", "--threads", 1)
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["bench"] == "fast" and found["threads"] == 1 and found["quick"] is True
    assert found["rows"][0]["seconds"] == 0.125 and found["rows"][0]["secret"] is None
    assert found["ratios"] == {"peer": 2.0, "absent": None, "factors": [4.0, 4.125]}
    assert found["notes"] == ["quick True, threads 1"]
    assert "fast: measuring" in done.stderr


def test_table(cli, benches):
    done = cli("bench", "fast")
    assert done.exit_code == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["a", "case", "peer", "8", "0.25", "30"] in lines
    assert ["case", "who", "n", "time", "[s]", "steps"] in lines
    assert "factors: 4, 4.125" in done.stdout and "absent: not compared" in done.stdout


def test_bad_input_is_status_2(cli, benches):
    done = cli("bench", "fist")
    assert done.exit_code == 2 and "did you mean 'fast'?" in done.stderr
    done = cli("bench", "fast", "broken", "--json")
    assert done.exit_code == 2 and "name one benchmark" in done.stderr and not done.stdout
    assert cli("bench", "fast", "--threads", 0).exit_code == 2


def test_failure_is_status_1(cli, benches):
    done = cli("bench", "fast", "broken")
    assert done.exit_code == 1 and "out of breath" in done.stderr
    assert "takes no time" not in done.stdout and "fast" in done.stdout
