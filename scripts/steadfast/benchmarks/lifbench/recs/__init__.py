"""RECS: rewriting, encoding, clustering, sampling of expressions (section 3.3, appendix B)."""
