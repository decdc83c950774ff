"""A tiny Llama with the reasoning "abcdef" and the answer "4"; run with vLLM's interpreter.

thinking_model.py DIRECTORY special|plain closed|prefilled: whether the tags are special tokens, and
whether the chat template opens the reasoning.
"""

import sys
from itertools import pairwise
from pathlib import Path

import torch
from transformers import AutoTokenizer, LlamaForCausalLM

from tiny_model import TEMPLATE, save

START = "<think>"
REASONING = "abcdef"
END = "</think>"
ANSWER = "4"


def make(folder: Path, special: bool, prefilled: bool) -> None:
    """Writes a model whose next token follows from the last one alone."""
    save(folder, [*REASONING, ANSWER], vocabulary=300)  # so that each letter stays a token
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens([START, END], special_tokens=special)
    if prefilled:
        tokenizer.chat_template = TEMPLATE.replace("<|assistant|>\n", f"<|assistant|>\n{START}")
    tokenizer.save_pretrained(folder)
    tokens = ["<|assistant|>", "\u010a", START, *REASONING, END, ANSWER, "<|end|>"]
    ids = tokenizer.convert_tokens_to_ids(tokens)
    assert None not in ids, tokens
    model = LlamaForCausalLM.from_pretrained(folder)
    model.resize_token_embeddings(len(tokenizer))
    with torch.no_grad():
        # Without attention and feed-forward the last token's embedding is all that is left.
        for layer in model.model.layers:
            layer.self_attn.o_proj.weight.zero_()
            layer.mlp.down_proj.weight.zero_()
        model.model.embed_tokens.weight.zero_()
        model.lm_head.weight.zero_()
        for dimension, (token, next_token) in enumerate(pairwise(ids)):
            model.model.embed_tokens.weight[token, dimension] = 1.0
            model.lm_head.weight[next_token, dimension] = 1.0
    model.save_pretrained(folder)


if __name__ == "__main__":
    make(Path(sys.argv[1]), sys.argv[2] == "special", sys.argv[3] == "prefilled")
