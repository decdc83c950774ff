"""Puts NLTK's data, pinned and checked, where this environment's NLTK finds it.

python -m steadfast.base.nltk_data [folder with the published zip files, instead of a download]
"""

import sys
import zipfile
from io import BytesIO
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.pinned import check, fetch
from steadfast.base.resources import facts


def install(target: Path, folder: Path | None = None) -> list[str]:
    """Unpacks each pinned resource that is not yet there below a folder; returns their names.

    Args:
        target: a folder that NLTK searches.
        folder: of zip files, in place of downloads.

    Raises:
        UserError: a file cannot be read or fetched, or is not the pinned one.
    """
    pinned = facts("nltk.yaml")
    unpacked = []
    for name, source in pinned["files"].items():
        if (target / name).is_dir():
            continue
        file = f"{Path(name).name}.zip"
        advice = f"name a folder that has {file}: python -m steadfast.base.nltk_data FOLDER"
        if folder:
            path = folder / file
            try:
                content = path.read_bytes()
            except OSError as error:
                raise UserError(f"{path}: cannot be read ({error.strerror}); {advice}") from None
            check(content, source, str(path), advice)
        else:
            content = fetch({**source, "url": f"{pinned['base']}{name}.zip"}, advice)
        # Safe to unpack whole, since its checksum is the pinned one.
        zipfile.ZipFile(BytesIO(content)).extractall((target / name).parent)
        unpacked.append(name)
    return unpacked


def main(arguments: list[str]) -> int:
    """Installs the data for this environment; the exit status."""
    try:
        install(Path(sys.prefix) / "nltk_data", Path(arguments[0]) if arguments else None)
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
