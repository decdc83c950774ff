"""What a run would take: requests, tokens, hours, cost, and the size of a sample."""
