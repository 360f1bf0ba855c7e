"""Plots of embeddings in two dimensions, colored by class."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from sklearn.preprocessing import StandardScaler

from gskn._optional import require
from gskn._types import AnyArray, FloatArray, IndexArray
from gskn._validation import check_choice
from gskn.evaluation._limits import check_seed
from gskn.evaluation.plots._style import (
    INK,
    add_title,
    new_panels,
    plot_style,
    point_styles,
)
from gskn.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_METHODS = {"pca": "PCA", "tsne": "t-SNE"}
_SAME_POSITION = 1e-3  # of the extent of the plot
_MAX_VECTOR_POINTS = 3000  # more points are drawn as pixels: the svg would be too large


def plot_embedding(
    embeddings: Any,
    y: Any,
    *,
    method: Literal["pca", "tsne"] = "pca",
    names: Sequence[str] | None = None,
    title: str | None = None,
    seed: int = 0,
) -> "Figure":
    """Plot embeddings as points in the plane, colored by class.

    Samples at the same position are drawn as one larger point for each class, with the
    points of later classes inside.

    Parameters
    ----------
    embeddings : array-like of shape (n_samples, n_features), or mapping of str to these
        Graph embeddings or node embeddings; they are standardized first. A mapping is
        plotted with one panel for each entry, for example for each model.
    y : array-like of shape (n_samples,)
        Class of every sample.
    method : {"pca", "tsne"}, default="pca"
        "pca" plots two principal components with their fraction of the variance. "tsne"
        plots t-SNE, in which distances between separate groups have no meaning; its
        perplexity is 30, or (n_samples - 1) / 3 if that is smaller.
    names : sequence of str or None, default=None
        Names of the classes in sorted order; the classes themselves if None.
    title : str or None, default=None
        Title of the figure; only the method if None.
    seed : int, default=0
        Seed of t-SNE and of the randomized solver of PCA.

    Returns
    -------
    figure : matplotlib.figure.Figure
        A new figure.

    Examples
    --------
    >>> figure = plot_embedding([[0, 1], [1, 0], [2, 2]], [0, 0, 1])
    >>> [axis.get_xlabel() for axis in figure.axes]
    ['Component 1 (75% of variance)']
    """
    check_choice(method, "method", choices=tuple(_METHODS))
    by_name = embeddings if isinstance(embeddings, Mapping) else {"": embeddings}
    if not by_name:
        raise InputError("embeddings is empty.")
    checked = {name: _check_embeddings(values, y) for name, values in by_name.items()}
    y = np.asarray(y)
    classes, numbers, counts = np.unique(y, return_inverse=True, return_counts=True)
    names = _check_names(names, classes)
    styles = point_styles([str(value) for value in classes], "classes")
    check_seed(seed)
    entries = [f"{name} ({count})" for name, count in zip(names, counts, strict=True)]
    legend_columns = 1 + (len(entries) - 1) // 18
    n_columns = min(len(checked), 2 if len(checked) in {2, 4} else 3)
    with plot_style():
        figure, panels = new_panels(
            len(checked),
            n_columns=n_columns,
            width=4.6 if len(checked) == 1 else 3.6,
            height=3.8 if len(checked) == 1 else 3.2,
            beside=[legend_columns * f"{entry}    " for entry in entries],
        )
        has_larger, description = False, ""
        for panel, (name, values) in zip(panels, checked.items(), strict=True):
            panel.set_title(name)
            points, labels, description = _project(values, method, seed)
            has_larger |= _draw_points(panel, points, numbers, list(styles.values()))
            panel.set(xlabel=labels[0], ylabel=labels[1])
            panel.set_aspect("equal", adjustable="datalim")
            if method == "tsne" or not np.ptp(points):  # coordinates have no meaning
                panel.tick_params(length=0, labelbottom=False, labelleft=False)
                panel.grid(visible=False)
        remark = "\nLarger: several samples" if has_larger else ""
        last = panels[min(n_columns, len(panels)) - 1]  # of the first row
        _add_legend(last, styles, entries, legend_columns, f"Class (samples){remark}")
        add_title(figure, f"{title}: {description}" if title else description)
        return figure


def _draw_points(
    panel: "Axes", points: FloatArray, numbers: IndexArray, styles: list[dict[str, Any]]
) -> bool:
    """Draw one point for each position and class; return whether one is several samples.

    The area grows with the number of samples of this and of later classes, which are drawn
    on top, and with the number of later classes at the position. So no class hides another
    one at the same position.
    """
    size = float(np.clip(4000 / len(points), 9, 36))
    extent = float(np.ptp(points, axis=0).max()) or 1.0
    cells = np.round(points / (_SAME_POSITION * extent)).astype(np.int64)
    _, first, positions = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    counts = np.zeros((len(styles), len(first)))
    np.add.at(counts, (numbers, positions.ravel()), 1)
    # Samples and classes at a position, from a class to the last one.
    n_samples = counts[::-1].cumsum(axis=0)[::-1]
    n_classes = (counts > 0)[::-1].cumsum(axis=0)[::-1]
    for number, style in enumerate(styles):
        here = np.flatnonzero(counts[number])
        panel.scatter(
            points[first[here], 0],
            points[first[here], 1],
            s=size * (np.log2(n_samples[number, here]) + n_classes[number, here]),
            c=style["color"],
            marker=style["marker"],
            alpha=0.75,
            edgecolors=INK,  # yellow has little contrast without edges
            linewidths=0.3,
            rasterized=len(points) > _MAX_VECTOR_POINTS,
        )
    return bool((n_samples > 1).any())


def _add_legend(
    panel: "Axes",
    styles: Mapping[str, dict[str, Any]],
    entries: Sequence[str],
    n_columns: int,
    title: str,
) -> None:
    """Add a legend to the right of a panel."""
    line = require("matplotlib.lines", extra="plots").Line2D
    options = {"linestyle": "", "markersize": 6, "alpha": 0.75}
    edges = {"markeredgecolor": INK, "markeredgewidth": 0.3}
    handles = [
        line([], [], label=entry, **style, **options, **edges)
        for entry, style in zip(entries, styles.values(), strict=True)
    ]
    panel.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(1.01, 1),
        title=title,
        alignment="left",
        ncols=n_columns,
    )


def _check_embeddings(values: Any, y: Any) -> FloatArray:
    embeddings: FloatArray = np.asarray(values, dtype=np.float64)
    y = np.asarray(y)
    if embeddings.ndim != 2 or len(embeddings) < 2 or embeddings.shape[1] < 1:
        raise InputError(
            "embeddings must have two dimensions and at least two rows, got shape "
            f"{embeddings.shape}."
        )
    if y.shape != (len(embeddings),):
        raise InputError(
            f"y must have one class for each of {len(embeddings)} embeddings, got shape "
            f"{y.shape}."
        )
    if not np.isfinite(embeddings).all():
        number = int(np.flatnonzero(~np.isfinite(embeddings).all(axis=1))[0])
        raise InputError(f"Row {number} of embeddings has NaN or infinite values.")
    return embeddings


def _check_names(names: Sequence[str] | None, classes: AnyArray) -> list[str]:
    if names is None:
        return [str(value) for value in classes]
    if len(names) != len(classes):
        raise InputError(f"names has {len(names)} names for {len(classes)} classes.")
    return list(names)


def _project(
    embeddings: FloatArray, method: str, seed: int
) -> tuple[FloatArray, tuple[str, str], str]:
    """Return points, axis labels and a description of the method."""
    scaled = StandardScaler().fit_transform(embeddings)
    # Constant columns contain rounding errors only; the others have a deviation of 1.
    scaled = scaled[:, scaled.std(axis=0) > 0.5]
    if not scaled.size:
        labels = ("Component 1 (0% of variance)", "Component 2 (0% of variance)")
        description = f"{_METHODS[method]}, all embeddings are equal"
        return np.zeros((len(embeddings), 2)), labels, description
    if method == "tsne":
        perplexity = min(30.0, (len(embeddings) - 1) / 3)
        init = "pca" if scaled.shape[1] > 1 else "random"  # "pca" needs two columns
        tsne = TSNE(perplexity=perplexity, init=init, random_state=seed)
        return (
            tsne.fit_transform(scaled),
            ("t-SNE 1", "t-SNE 2"),
            f"t-SNE, perplexity {perplexity:.3g}",
        )
    pca = PCA(min(2, *scaled.shape), random_state=seed)
    points = np.zeros((len(embeddings), 2))
    points[:, : pca.n_components] = pca.fit_transform(scaled)
    shares = [*pca.explained_variance_ratio_, 0.0][:2]
    first, second = (
        f"Component {number} ({100 * share:.0f}% of variance)"
        for number, share in enumerate(shares, start=1)
    )
    return points, (first, second), "PCA of standardized embeddings"
