"""The result of a selection: parameters, scores on inner folds, and the reason."""

from dataclasses import dataclass
from typing import Any

from gskn._html import html_paragraph, html_table
from gskn._optional import require

_N_SHOWN = 5  # candidates in notebooks


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        """Return the selected parameters and the reason; the scores are a long table."""
        return f"<Selected: {self._join_params()}. {self.reason}>"

    def _repr_html_(self) -> str:
        """Return the selected parameters and the best candidates for notebooks."""
        html = html_paragraph(f"Selected: {self._join_params()}. {self.reason}")
        best = sorted(self.scores, key=lambda row: row["score"], reverse=True)[:_N_SHOWN]
        if not best:
            return html
        rows = [[_join(row["params"]), *list(row.values())[1:]] for row in best]
        names = ["params", *(name.replace("_", " ") for name in list(best[0])[1:])]
        n_left = len(self.scores) - len(best)
        more = f"{n_left} more candidates are in selected_.scores." if n_left else ""
        return html + html_table(names, rows) + html_paragraph(more)

    def _join_params(self) -> str:
        name = "C" if self.metric == "accuracy" else "alpha"
        return _join({**self.params, "kernel": self.kernel, name: f"{self.strength:g}"})


def _join(params: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in params.items()) or "-"
