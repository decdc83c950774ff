"""The exceptions that a user is meant to read."""

import errno


class UserError(Exception):
    """Invalid input or environment: rules print what is wrong, where, and what to do, without a
    traceback."""


class TemporaryError(UserError):
    """A temporary error, such as a server that does not respond: another attempt may succeed."""


# What a user can do about lasting errors of the system.
REMEDIES = {
    errno.ENOSPC: "free space on that disk",
    errno.EDQUOT: "free space within your quota",
    errno.EFBIG: "let files be larger (ulimit -f)",
    errno.EROFS: "make its file system writable, or put the results elsewhere (pathvars.results)",
    errno.EACCES: "correct its permissions (chmod, chown)",
    errno.EPERM: "correct its permissions (chmod, chown)",
    errno.EISDIR: "move away the folder that has this file's name",
    errno.ENOTDIR: "move away the file that has a folder's name",
    errno.ENAMETOOLONG: "shorten the path of the results or the names in it",
    errno.EMFILE: "let programs open more files (ulimit -n)",
    errno.ENFILE: "let programs open more files (sysctl fs.file-max)",
}


def fixable_error(error: OSError) -> UserError | None:
    """The message for an error of the system that a user can mend; None for others."""
    remedy = REMEDIES.get(error.errno or 0)
    if remedy is None:
        return None
    problem = str(error.strerror).lower()
    if error.filename:
        problem = f"{error.filename}: {problem}"
    return UserError(
        f"{problem}; {remedy}, then run again: responses in the journal are not re-requested"
    )


# Prefixes of the message in a rule's log, by which another attempt is decided.
ERROR = "error: "
TEMPORARY = "temporary error: "
STOPPED = "stopped"
