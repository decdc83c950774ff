"""FollowBench (Jiang et al., ACL 2024): constraints added one at a time, level by level."""
