"""ComplexBench: constraints composed by And, Chain and Selection, with scoring questions."""
