"""Two runs side by side: what differs, and by how much."""
