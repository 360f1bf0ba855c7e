"""The result of a selection: parameters, scores on inner folds, and the reason."""

from dataclasses import dataclass
from typing import Any

from gskn._optional import require


@dataclass(frozen=True)
class Selected:
    """What a classifier or regressor selected, and the scores on inner folds.

    Attributes
    ----------
    params : dict
        Parameters of the embedding that differ between the entries of the grid.
    kernel : str
        Kernel of the machine.
    strength : float
        C of the classifier, alpha of the regressor.
    metric : str
        Name of the score: higher values are better.
    scores : tuple of dict
        One row per candidate that was compared: ``params``, ``kernel``, ``C`` or
        ``alpha``, mean ``score`` on the inner folds and its ``standard_error``. Empty if
        nothing was compared.
    reason : str
        Why these parameters were selected, in one sentence.
    """

    params: dict[str, Any]
    kernel: str
    strength: float
    metric: str
    scores: tuple[dict[str, Any], ...]
    reason: str

    def to_frame(self) -> Any:
        """Return the scores as a pandas DataFrame, best first (extra ``pandas``).

        Returns
        -------
        frame : DataFrame
            One row per candidate, with one column per parameter of the embedding.
        """
        pandas = require("pandas", extra="pandas")
        rows = [
            {**row["params"], **{k: v for k, v in row.items() if k != "params"}}
            for row in self.scores
        ]
        columns = list(dict.fromkeys(name for row in rows for name in row))
        last = ["score", "standard_error"]
        ordered = [name for name in columns if name not in last] + last
        frame = pandas.DataFrame(rows, columns=ordered)
        return frame.sort_values("score", ascending=False, kind="stable", ignore_index=True)
