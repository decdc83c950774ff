"""ComplexBench's rules: what decides a scoring question about a copied part of the answer.

``released`` does what the benchmark's own code does; ``strict`` leaves out its accidents.
"""
