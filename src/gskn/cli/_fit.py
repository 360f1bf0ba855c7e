"""``gskn fit``: fit a model and write it to a file for ``gskn embed``."""

import time
from pathlib import Path
from typing import Annotated

import typer

from gskn.cli import _model as model_options
from gskn.cli._options import (
    DataHome,
    Jobs,
    Rejects,
    check_not_input,
    find_source,
    reading,
)


def fit(  # noqa: PLR0913, PLR0917 - one option each
    graphs: model_options.Input,
    out: Annotated[Path, typer.Option("--out", "-o", help="Model file to write.")],
    branches: model_options.Branches = None,
    walk_length: model_options.WalkLength = None,
    anonymous_length: model_options.AnonymousLength = None,
    n_landmarks: model_options.Landmarks = None,
    alpha: model_options.Alpha = None,
    beta: model_options.Beta = None,
    weighting: model_options.WeightingOption = None,
    pooling: model_options.PoolingOption = None,
    seed: model_options.Seed = None,
    jobs: Jobs = None,
    data_home: DataHome = None,
) -> None:
    """Fit an embedding for gskn embed and gskn similar.

    Folders and parquet tables of edges are read in chunks and may be larger than memory.
    Landmarks are then selected from a sample of the graphs. Molecules that cannot be read
    are skipped and listed in a file next to the output.

    Example: gskn fit graphs/ -o model.gskn --anonymous-length 7
    """
    from gskn._files import check_output
    from gskn.cli._console import echo
    from gskn.graphs import iter_graphs

    begin = time.monotonic()
    check_output(out)
    check_not_input(out, graphs)
    parameters = model_options.set_parameters(
        branches=branches,
        walk_length=walk_length,
        anonymous_length=anonymous_length,
        n_landmarks=n_landmarks,
        alpha=alpha,
        beta=beta,
        weighting=weighting,
        pooling=pooling,
        random_state=seed,
    )
    model = model_options.make_model(parameters, jobs)
    rejects = Rejects()
    with reading(graphs, data_home):
        source = find_source(graphs, data_home, rejects)
    with model_options.counting() as count:
        chunks = iter_graphs(source, options=rejects.options)
        model.fit_chunks(count("fitting", chunks))
    model.save(out)
    rejects.report(out)
    seconds = time.monotonic() - begin
    echo(f"{out}: model with {model.n_features_out_} columns, {seconds:.1f} s")
