"""A simulator for transformers: a token a character. FAKE_VLLM_READ: file with each import."""

import os

if notes := os.environ.get("FAKE_VLLM_READ"):
    with open(notes, "a") as lines:
        print(os.getpid(), file=lines)


class PretrainedConfig:
    @staticmethod
    def get_config_dict(model, revision=None):
        return {"eos_token_id": 0}, {}


class GenerationConfig:
    @classmethod
    def from_pretrained(cls, model, revision=None):
        return cls()

    def to_dict(self):
        return {}

    to_diff_dict = to_dict


class AutoTokenizer:
    chat_template = "{{ messages }}"
    eos_token_id = 0
    all_special_tokens = ()

    @classmethod
    def from_pretrained(cls, model, **given):
        return cls()

    def __len__(self):
        return 0x110000

    def encode(self, text, add_special_tokens=False):
        return [ord(character) for character in text]

    def decode(self, tokens, **given):
        return "".join(map(chr, tokens))

    def apply_chat_template(self, messages, **given):
        return "".join(f"<{one['role']}>{one['content']}" for one in messages) + "<assistant>"
