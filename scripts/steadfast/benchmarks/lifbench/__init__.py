"""LIFBench with LIFEval: following instructions in long contexts, and how stably."""
