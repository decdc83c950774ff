"""The released rubric: what the benchmark's own scorer computes, its quirks Q1 to Q18 kept.

Where the released scorer crashed, these functions go on with what can still be read.
"""
