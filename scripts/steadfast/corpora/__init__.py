"""Raw text for contexts: five text collections, each from one of three sources.

Every source ends in the same file, one record ``{"id", "title", "date", "text"}`` a line.
"""
