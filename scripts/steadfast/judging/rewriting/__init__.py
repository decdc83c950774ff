"""Models word an instruction anew, and the lists that they reply are read."""
