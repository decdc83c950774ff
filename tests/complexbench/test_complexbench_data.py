"""Data: from a directory, generated, or by its blob id from a server; in either language."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from complexbench_instances import data_file, instance, with_question
from steadfast.complexbench import data
from steadfast.complexbench.data import summary, write_data
from steadfast.errors import UserError
from steadfast.files import read_jsonl
from steadfast.pinned import git_blob


def local(directory, raw, **settings) -> dict:
    (directory / "data_final.json").write_text(json.dumps(raw, ensure_ascii=False), "utf-8")
    given = {"source": "local", "directory": str(directory), "file": "data_final.json"}
    return given | {"extra": None} | settings


def written(settings, tmp_path, language="zh") -> list[dict]:
    write_data(settings, language, tmp_path / "out.jsonl")
    return list(read_jsonl(tmp_path / "out.jsonl"))


def test_a_record_has_one_language(tmp_path):
    settings = local(tmp_path, [instance()])
    (zh,) = written(settings, tmp_path)
    (en,) = written(settings, tmp_path, "en")
    assert zh["instruction"].startswith("灯") and en["instruction"].startswith("The lamp")
    assert en["scoring_questions"][1]["question"] == "Does the response meet requirement 1?"
    assert en["scoring_questions"][2]["rule"] == "model_length:[1,50]"
    assert [turn["points"] for turn in zh["turns"]] == [[0], [1, 2]]
    assert en["turns"][0]["instruction"] == "The lamp is on. Judge its state."
    assert zh["origin"] == "local" and "question_en" not in zh["scoring_questions"][0]


def test_the_older_files_without_translations_are_read_in_chinese_alone(tmp_path):
    made = instance()
    del made["instruction_en"]
    for question in made["scoring_questions"]:
        del question["question_en"]
    settings = local(tmp_path, made)  # a single object, not an array
    assert len(written(settings, tmp_path)) == 1
    with pytest.raises(UserError, match=r"main_id 0 lacks instruction_en; .* leave 'en' out"):
        written(settings, tmp_path, "en")


def test_turns_without_translation_are_none_in_that_language(tmp_path):
    made = instance()
    del made["sub_instructions"]["sub_instruction_1"]["instruction_en"]
    (en,) = written(local(tmp_path, [made]), tmp_path, "en")
    assert en["turns"] == []


def test_own_instances_follow_with_numbers_of_their_own(tmp_path):
    own = tmp_path / "own.json"
    own.write_text(json.dumps([instance(), instance(main_id=1, idx_in_group=2)]), "utf-8")
    rows = written(
        local(tmp_path, [instance(main_id=5), instance(main_id=9, idx_in_group=2)], extra=str(own)),
        tmp_path,
    )
    assert [(row["main_id"], row["origin"]) for row in rows] == [
        (5, "local"),
        (9, "local"),
        (10, "extra"),
        (11, "extra"),
    ]


def test_a_fault_stops_with_its_place_and_the_count_of_the_others(tmp_path, capsys):
    bad = with_question(1, dep=[7]) | {"task_types": "Poetry"}
    with pytest.raises(UserError, match=r"data_final.json: instance 1 \(main_id 0\), .*1 more err"):
        written(local(tmp_path, [bad]), tmp_path)
    own = tmp_path / "own.json"
    own.write_text(json.dumps([bad]))
    with pytest.raises(UserError, match=r"own\.json: instance 1"):
        written(local(tmp_path, [instance()], extra=str(own)), tmp_path)
    written(local(tmp_path, [with_question(2, dep=[])]), tmp_path)
    assert "warning: " in capsys.readouterr().out


@pytest.mark.parametrize("content", ["", "{", "[]", "[1]", '"text"', "null"])
def test_a_damaged_file_is_one_sentence(tmp_path, content):
    settings = local(tmp_path, [])
    (tmp_path / "data_final.json").write_text(content)
    with pytest.raises(UserError, match=r"data_final\.json"):
        written(settings, tmp_path)


def test_a_missing_file_names_both_keys(tmp_path):
    settings = {"source": "local", "directory": str(tmp_path), "file": "x.json", "extra": None}
    with pytest.raises(UserError, match=r"complexbench.directory.*complexbench.file"):
        written(settings, tmp_path)
    with pytest.raises(UserError, match="choose one of zh, en"):
        written(settings, tmp_path, "fr")


def test_the_same_generated_data_is_the_same_bytes(tmp_path):
    settings = {"source": "synthetic", "instances": 20, "seed": 1, "extra": None}
    for name in ("a", "b"):
        write_data(settings, "zh", tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert len(written(settings, tmp_path, "en")) == 20


def test_the_sample_instances_are_written_and_counted(tmp_path, capsys):
    directory = str(data_file("sample_instances.json").parent)
    settings = {"source": "local", "directory": directory, "file": "sample_instances.json"}
    for language in ("zh", "en"):
        rows = written(settings | {"extra": None}, tmp_path, language)
        assert [row["main_id"] for row in rows] == [1, 559, 560, 856, 857, 899, 1020, 1148, 1149]
        assert sum(len(row["scoring_questions"]) for row in rows) == 43
    told = capsys.readouterr().out
    assert "9 instances, 43 questions, 8 of them with a rule" in told
    assert "category: And 3, Selection_1 1, Selection_2 3, Selection_and_Chain_2 2" in told


def test_published_counts_are_told_and_do_not_fail():
    row = {"category": "And", "task_types": "x", "origin": "released", "turns": []}
    asked = {"rule": None}
    rows = [row | {"scoring_questions": [asked]}]
    assert any("1150 were published" in line for line in summary(rows, published=True))
    many = [row | {"scoring_questions": [asked]} for _ in range(1149)]
    for questions, warned in ((5293, False), (5306, False), (5300, True)):
        last = row | {"scoring_questions": [asked] * (questions - 1149)}
        lines = summary([*many, last], published=True)
        assert any("5,293 or 5,306" in line for line in lines) == warned
        assert not any("were published" in line for line in lines)


ACCEPT = {"Accept": "application/vnd.github.raw"}


@pytest.fixture
def github():
    """A server that gives a blob to who asks for it raw."""
    content = json.dumps([instance()]).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            raw = self.headers["Accept"] == "application/vnd.github.raw"
            self.send_response(200 if "gone" not in self.path else 404)
            self.end_headers()
            self.wfile.write(content if raw else b'{"content": "base64"}')

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/blobs/", content
    server.shutdown()
    server.server_close()


def test_published_data_is_taken_as_it_is_from_either_place(github, tmp_path, monkeypatch, capsys):
    url, _ = github
    odd = json.dumps([instance(task_types="Poetry")]).encode()
    facts = {"url": url, "git_blob": git_blob(odd)}
    monkeypatch.setattr(data, "read_yaml", lambda name: facts)
    settings = local(tmp_path, [])
    (tmp_path / "data_final.json").write_bytes(odd)
    assert written(settings, tmp_path)[0]["task_types"] == "Poetry"
    told = capsys.readouterr().out
    assert "warning: " in told and "1150 were published" in told
    (tmp_path / "data_final.json").write_bytes(odd + b"\n")
    with pytest.raises(UserError, match="no task type 'Poetry'"):
        written(settings, tmp_path)


def test_the_released_source_is_fetched_and_read(github, tmp_path, monkeypatch):
    url, content = github
    facts = {"url": url, "git_blob": git_blob(content), "headers": ACCEPT}
    monkeypatch.setattr(data, "read_yaml", lambda name: facts)
    (row,) = written({"source": "released", "extra": None}, tmp_path)
    assert row["origin"] == "released" and row["instruction"].startswith("灯")
