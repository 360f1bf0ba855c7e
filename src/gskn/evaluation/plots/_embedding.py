"""Maps of rows, coloured by class."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from sklearn.preprocessing import StandardScaler

from gskn._types import AnyArray, FloatArray
from gskn._validation import check_choice
from gskn.evaluation._limits import check_seed
from gskn.evaluation.plots._style import INK, add_title, appearances, new_panels, style
from gskn.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_METHODS = {"pca": "PCA", "tsne": "t-SNE"}
_MANY = 3000  # points of an svg that are drawn as pixels, for files one can open


def plot_embedding(
    rows: Any,
    y: Any,
    *,
    method: Literal["pca", "tsne"] = "pca",
    names: Sequence[str] | None = None,
    title: str | None = None,
    seed: int = 0,
) -> "Figure":
    """Draw rows as points in the plane, coloured by class.

    Parameters
    ----------
    rows : array-like of shape (n_samples, n_features)
        Rows of graphs or nodes; standardised here.
    y : array-like of shape (n_samples,)
        Class of every row.
    method : {"pca", "tsne"}, default="pca"
        Principal components, whose axes say their share of the variance; or t-SNE, where
        distances between far groups mean nothing. Its perplexity is 30, or a third of the
        other samples where that is less.
    names : sequence of str or None, default=None
        Names of the classes in sorted order; the classes themselves if None.
    title : str or None, default=None
        Heading; the method if None.
    seed : int, default=0
        Seed of t-SNE and of randomised components.
    """
    check_choice(method, "method", choices=tuple(_METHODS))
    rows, y = _check_rows(rows, y)
    classes, numbers, counts = np.unique(y, return_inverse=True, return_counts=True)
    names = _check_names(names, classes)
    looks = appearances([str(value) for value in classes], "classes")
    check_seed(seed)
    points, labels, said = _place(rows, method, seed)
    entries = [f"{name} ({count})" for name, count in zip(names, counts, strict=True)]
    n_columns = 1 + (len(entries) - 1) // 18
    with style():
        figure, (panel,) = new_panels(
            1,
            n_columns=1,
            width=4.6,
            height=3.8,
            beside=[n_columns * f"{entry}    " for entry in entries],
        )
        size = float(np.clip(4000 / len(rows), 9, 36))
        for number, look in enumerate(looks.values()):
            panel.scatter(
                points[numbers == number, 0],
                points[numbers == number, 1],
                s=size,
                c=look["color"],
                marker=look["marker"],
                label=entries[number],
                alpha=0.75,
                edgecolors=INK,  # yellow is faint without
                linewidths=0.3,
                rasterized=len(rows) > _MANY,
            )
        panel.set(xlabel=labels[0], ylabel=labels[1])
        panel.set_aspect("equal", adjustable="datalim")
        if method == "tsne" or not np.ptp(points):  # the numbers mean nothing
            panel.tick_params(length=0, labelbottom=False, labelleft=False)
            panel.grid(visible=False)
        panel.legend(
            loc="upper left",
            bbox_to_anchor=(1.01, 1),
            title="Class (samples)",
            alignment="left",
            ncols=n_columns,
            markerscale=float(np.sqrt(36 / size)),
        )
        add_title(figure, f"{title}: {said}" if title else said)
        return figure


def _check_rows(rows: Any, y: Any) -> tuple[FloatArray, AnyArray]:
    rows, y = np.asarray(rows, dtype=np.float64), np.asarray(y)
    if rows.ndim != 2 or len(rows) < 2 or rows.shape[1] < 1:
        raise InputError(
            f"rows must be two or more rows of numbers, got shape {rows.shape}."
        )
    if y.shape != (len(rows),):
        raise InputError(
            f"y must have one class for each of {len(rows)} rows, got shape {y.shape}."
        )
    if not np.isfinite(rows).all():
        number = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise InputError(f"Row {number} holds a value that is no finite number.")
    return rows, y


def _check_names(names: Sequence[str] | None, classes: AnyArray) -> list[str]:
    if names is None:
        return [str(value) for value in classes]
    if len(names) != len(classes):
        raise InputError(f"There are {len(names)} names for {len(classes)} classes.")
    return list(names)


def _place(
    rows: FloatArray, method: str, seed: int
) -> tuple[FloatArray, tuple[str, str], str]:
    """Return points, labels of axes, and what was done."""
    scaled = StandardScaler().fit_transform(rows)
    # Columns that vary have a deviation of 1 by now; what is left of others is rounding.
    scaled = scaled[:, scaled.std(axis=0) > 0.5]
    if not scaled.size:
        labels = ("Component 1 (0% of variance)", "Component 2 (0% of variance)")
        return np.zeros((len(rows), 2)), labels, f"{_METHODS[method]}, all rows are equal"
    if method == "tsne":
        perplexity = min(30.0, (len(rows) - 1) / 3)
        init = "pca" if scaled.shape[1] > 1 else "random"  # components need two columns
        tsne = TSNE(perplexity=perplexity, init=init, random_state=seed)
        return (
            tsne.fit_transform(scaled),
            ("t-SNE 1", "t-SNE 2"),
            f"t-SNE, perplexity {perplexity:.3g}",
        )
    pca = PCA(min(2, *scaled.shape), random_state=seed)
    points = np.zeros((len(rows), 2))
    points[:, : pca.n_components] = pca.fit_transform(scaled)
    shares = [*pca.explained_variance_ratio_, 0.0][:2]
    first, second = (
        f"Component {number} ({100 * share:.0f}% of variance)"
        for number, share in enumerate(shares, start=1)
    )
    return points, (first, second), "PCA of standardised rows"
