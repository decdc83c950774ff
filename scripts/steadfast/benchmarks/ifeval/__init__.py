"""Instruction following at every length: IFEval (arXiv 2311.07911) and IFBench (arXiv 2507.02833).

Their prompts stand alone at length 0, as published, and behind long texts at the other lengths.
"""
