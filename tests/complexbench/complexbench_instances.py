"""Instances of our own, and the directory of the benchmark's data."""

from copy import deepcopy
from pathlib import Path

from released_files import released_folder


def data_file(name: str) -> Path:
    """A file of the benchmark's data."""
    return released_folder("complexbench", "data") / name


def asked(text: str = "是否满足？", **fields) -> dict:
    """A scoring question in the shape of the data files."""
    made = {
        "question": text,
        "rule": None,
        "constraint_dimensions": ["Helpfulness"],
        "composition_types": [],
        "dep": [],
    }
    return made | fields


def question(number: int = 0, **fields) -> dict:
    """A scoring question as an annotator writes it."""
    translated = {"question_en": f"Does the response meet requirement {number}?"}
    made = asked(f"模型是否满足第{number}个要求？", point_id=number, **translated)
    return made | fields


SELECTING = {
    "main_id": 0,
    "group": "lamps",
    "idx_in_group": 1,
    "instruction": "灯是亮的。如果灯是亮的，请写一句夸它的话；如果是灭的，请写“请开灯”。",
    "instruction_en": "The lamp is on. If it is, praise it in a sentence; if not, write 请开灯.",
    "task_types": "Creative Writing",
    "constraint_dimensions": ["Helpfulness", "Length"],
    "composition_types": ["And", "Selection"],
    "category": "Selection_2",
    "scoring_questions": [
        question(0, constraint_dimensions=[], composition_types=["Selection"]),
        question(1, dep=[0]),
        question(2, dep=[0], rule="model_length:[1,50]", constraint_dimensions=["Length"]),
    ],
    "sub_instructions": {
        "sub_instruction_0": {
            "instruction": "灯是亮的。请判断灯的状态。",
            "instruction_en": "The lamp is on. Judge its state.",
            "scoring_questions": ["模型是否满足第0个要求？"],
        },
        "sub_instruction_1": {
            "instruction": "请根据判断写一句话。",
            "instruction_en": "Write a sentence that follows from it.",
            "scoring_questions": [1, 2],
        },
    },
}


def instance(**fields) -> dict:
    """An instance without fault, with other fields where they are given."""
    return deepcopy(SELECTING) | fields


def with_question(number: int, **fields) -> dict:
    """The same with other fields of one question; a field ``without`` names one to leave out."""
    made = instance()
    made["scoring_questions"][number] |= fields
    return made
