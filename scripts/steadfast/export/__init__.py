"""Export: a built benchmark as a data set of its own, described for people and for programs."""
