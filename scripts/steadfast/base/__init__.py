"""What everything stands on: files, errors, packaged data, names, provenances."""
