"""The one exception that a user is meant to read."""


class UserError(Exception):
    """Bad input or surroundings: one sentence that says what, where, and what to do.

    Rules print it without a traceback and exit with 1.
    """
