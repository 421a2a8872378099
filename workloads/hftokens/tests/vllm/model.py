"""Gives the tiny model that was made by tiny-model.py the markers of thoughts and tool calls as tokens: model.py FOLDER."""

import sys

from transformers import AutoModelForCausalLM, AutoTokenizer

folder = sys.argv[1]
tokenizer = AutoTokenizer.from_pretrained(folder)
tokenizer.add_tokens(["<think>", "</think>", "<tool_call>", "</tool_call>"])
model = AutoModelForCausalLM.from_pretrained(folder)
model.resize_token_embeddings(len(tokenizer))
tokenizer.save_pretrained(folder)
model.save_pretrained(folder)
