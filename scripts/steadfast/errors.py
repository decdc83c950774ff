"""The exceptions that a user is meant to read."""


class UserError(Exception):
    """Bad input or surroundings: one sentence that says what, where, and what to do.

    Rules print it without a traceback and exit with 1; another try would end alike.
    """


class PassingError(UserError):
    """One that another try may not meet, such as a server that does not answer."""


ERROR = "error: "
PASSING = "error that may pass: "
"""Before the sentence in a rule's log; what decides on another try reads them there."""
