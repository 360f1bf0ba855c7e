"""Read the records of a study, one JSON object per line."""

import json
from pathlib import Path
from typing import Any


def read_json_records(path: Path) -> list[dict[str, Any]]:
    """Return the records; none if there is no file, as in the source distribution."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
