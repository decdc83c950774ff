"""What a config needs of the machine that it runs on, and whether it is there: steadfast doctor."""
