"""RECS: templates reworded by models, encoded, clustered and sampled (paper, section 3.3)."""
