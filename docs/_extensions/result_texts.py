"""Numbers and statements in the text of the results page, generated from its records.

They are substitutions such as ``{{ nested_gskn_COLLAB }}``; an unknown name is an error.
New records change the statements, so that the text cannot contradict the tables.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import mean, stdev

from gskn.evaluation import MODELS, Record, Summary
from gskn.reproduce import EXPERIMENTS, best_baseline_rows, compare, summary_of
from gskn.reproduce._networks import NETWORK_SYSTEMS, NODE_NETWORKS, network_jobs
from gskn.reproduce._parameters import BASE, parameter_models
from gskn.reproduce._printed import NETWORK_LITERATURE, NODES, STATISTICS
from gskn.reproduce._reasons import estimate_hours, model_on

_SETS = (
    "MUTAG",
    "PROTEINS",
    "PTC",
    "IMDB-BINARY",
    "IMDB-MULTI",
    "COLLAB",
    "BZR",
    "COX2",
    "PROTEINS_full",
)
# Expected before the runs: mean over all sets, COLLAB.
_EXPECTED_MEAN, _EXPECTED_COLLAB = 76.0, 83.0
_NOT_RUN = "not run yet"


def page_numbers(records: Sequence[Record]) -> dict[str, str]:
    """Return all means in percent by protocol, model and data set, and some summaries.

    The name of a mean accuracy is ``<protocol>_<model>_<data>``; for other metrics, the
    metric comes first. Characters that names cannot have are replaced by ``_``.
    """
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record.protocol, record.model, record.data), []).append(record)
    numbers: dict[str, str] = {}
    for (protocol, model, data), group in groups.items():
        for metric in group[-1].scores.keys() & {"accuracy", "micro_f1"}:
            prefix = () if metric == "accuracy" else (metric,)
            name = re.sub(r"\W+", "_", "_".join((*prefix, protocol, model, data)))
            if name in numbers:
                raise ValueError(f"Two results have the name {name!r}.")
            summary = summary_of(group, data, model, protocol, metric)
            numbers[name] = "" if summary is None else f"{100 * summary.mean:.1f}"
    return numbers | {
        "gain_of_all_lengths": _gain(records, "rw+aw", "rw+aw-64"),
        "better_baselines": _better_baselines(records),
        "expectations": _expectations(records),
        "best_baselines": _best_baselines(records),
        "best_baseline_COLLAB": _best_baseline(records, "COLLAB"),
        "patterns_add": _effect(records, _SETS, "gskn", "gskn-rw"),
        "patterns_add_32": _effect(records, _SETS, "rw+aw-64", "rw-32"),
        "parameters_PTC": _parameter_effects(records, "PTC"),
        "nodes_above_paper": _nodes_above_paper(records),
        "larger_node_embeddings": _larger_node_embeddings(records),
        "node_networks_like_paper": _node_networks_like_paper(records),
        "network_gaps": _network_gaps(records),
        "missing_networks": _missing_networks(records),
        "outdated_records": _outdated(records),
        "fewer_folds": _fewer_folds(records),
        "gckn_folds_with_128_landmarks": _large_gckn(records),
        "node_classifiers": _node_classifiers(records),
        "gain_of_node_kernels": _node_gains(records),
    }


def _gain(records: Sequence[Record], model: str, reference: str) -> str:
    """Return the mean gain of accuracy over all data sets in percent."""
    summaries = [
        [summary_of(records, data, name, "nested") for name in (model, reference)]
        for data in _SETS
    ]
    gains = [one.mean - other.mean for one, other in summaries if one and other]
    return f"{100 * mean(gains):.1f}" if gains else "-"


def _better_baselines(records: Sequence[Record]) -> str:
    """Return the baselines that are significantly better than GSKN, by data set."""
    rows = EXPERIMENTS["baselines"].rows(records)
    texts = []
    for data in _SETS:
        better = [
            f"{row['system']} ({row[data].partition(' ')[0]})"
            for row in rows
            if row[data].endswith(">")
        ]
        if better:
            texts.append(f"{data}: {', '.join(better)}")
    return "; ".join(texts) or "none"


def _expectations(records: Sequence[Record]) -> str:
    """Return mean accuracy, accuracy on COLLAB and rank of GSKN, and the expected ones."""
    rows = EXPERIMENTS["ranks"].rows(records)
    by_system = {row["system"]: row for row in rows}
    if "GSKN, chosen" not in by_system:
        return "no results on all data sets yet"
    own = by_system["GSKN, chosen"]
    on_collab = 100 * summary_of(records, "COLLAB", "gskn", "nested").mean
    others = [row for row in rows if not _is_ours(row["system"])]
    rank = f"{own['average rank']} among {len(rows)} models"
    better = [row["system"] for row in rows[: rows.index(own)]]
    rank += f" (after {_join(better)})" if better else " (the best)"
    if others:
        first = others[0]
        rank += f"; the best rank of another system is {first['average rank']} "
        rank += f"({first['system']})"
    return (
        f"mean accuracy {_reached(float(own['mean accuracy']), _EXPECTED_MEAN)}, on COLLAB "
        f"{_reached(on_collab, _EXPECTED_COLLAB)}, average rank {rank}"
    )


def _reached(value: float, expected: float) -> str:
    missing = expected - value
    verdict = "reached" if missing <= 0 else f"{missing:.1f} below"
    return f"{value:.1f} (expected {expected:g}: {verdict})"


def _is_ours(system: str) -> bool:
    return system.startswith(("GSKN", "RW only"))


def _best_baselines(records: Sequence[Record]) -> str:
    """Return on which sets GSKN differs significantly from the best other system."""
    rows = best_baseline_rows(records)
    verdicts = {
        row["data"]: (row["difference"], f"{row['best other system']}, ") for row in rows
    }
    return _verdicts(verdicts)


def _best_baseline(records: Sequence[Record], data: str) -> str:
    for row in best_baseline_rows(records):
        if row["data"] == data:
            return f"{row['best other system']} has {row['accuracy'].partition(' ')[0]}"
    return _NOT_RUN


def _effect(
    records: Sequence[Record], sets: Iterable[str], model: str, reference: str
) -> str:
    """Return on which sets a model differs significantly from a reference."""
    comparisons = {data: compare(records, data, model, reference) for data in sets}
    return _verdicts({data: (text, "") for data, text in comparisons.items() if text})


def _verdicts(comparisons: dict[str, tuple[str, str]]) -> str:
    """Return the sets with a significant gain and loss, and the others.

    Values are results of `compare`, and a text that is shown before the difference.
    """
    if not comparisons:
        return _NOT_RUN
    groups: dict[str, list[str]] = {"above": [], "below": [], "equal": []}
    for data, (comparison, text) in comparisons.items():
        verdict, _, numbers = comparison.partition(" ")
        gap = numbers.strip("()").partition(",")[0]
        groups[verdict].append(data if verdict == "equal" else f"{data} ({text}{gap})")
    above, below, equal = groups.values()
    if not above and not below:
        return f"equal within the noise on {_count(equal)}"
    return (
        f"significantly better on {_join(above) or 'no set'}, significantly worse on "
        f"{_join(below) or 'no set'}, and equal within the noise on {_count(equal)}"
    )


def _count(names: Sequence[str]) -> str:
    if len(names) == len(_SETS):
        return "all nine sets"
    return _join(names) or "no set"


def _join(names: Sequence[str]) -> str:
    *before, last = names or ("",)
    return f"{', '.join(before)} and {last}" if before else last


def _parameter_effects(records: Sequence[Record], data: str) -> str:
    """Return the values of parameters whose accuracy differs from the paper's values."""
    different = []
    for model in parameter_models():
        verdict, _, numbers = compare(records, data, model.name, BASE.name).partition(" ")
        if verdict in {"above", "below"}:
            value = model.name.partition(", ")[2]
            different.append(f"{value} {numbers}")
    return ", ".join(different) or "none"


def _nodes_above_paper(records: Sequence[Record]) -> str:
    """Return the sets with a larger micro F1 than in the paper, with its parameters."""
    above = [
        data
        for data in NODES
        if (summary := _node_summary(records, data, "rw+aw-64")) is not None
        and 100 * summary.mean > float(NODES[data]["GSKN"].split()[-1])
    ]
    return _join(above) or "no set"


def _larger_node_embeddings(records: Sequence[Record]) -> str:
    """Return the sets on which more columns have a larger micro F1."""
    larger = []
    for data in NODES:
        one, other = (
            _node_summary(records, data, name) for name in ("nodes-large", "nodes-64")
        )
        if one and other and one.mean > other.mean:
            larger.append(data)
    return _join(larger) or "no set"


def _node_networks_like_paper(records: Sequence[Record]) -> str:
    """Return the networks whose micro F1 is within a point of the paper, for both modes."""
    texts = []
    for mode in ("by walks", "by classes"):
        close, n_numbers = [], 0
        for data in NODES:
            for name, model in NODE_NETWORKS.items():
                system, _, of_mode = name.partition(", ")
                summary = _node_summary(records, data, model)
                if summary is None or (of_mode == "by classes") != (mode == "by classes"):
                    continue
                printed = NODES[data].get(system)
                if printed is None:
                    continue
                gap = 100 * summary.mean - float(printed.split()[-1])
                n_numbers += 1
                if abs(gap) <= 1:
                    close.append(f"{name.removesuffix(', by classes')} on {data}")
        texts.append(f"{mode} {len(close)} of {n_numbers} ({_join(close) or 'none'})")
    return "; ".join(texts)


def _network_gaps(records: Sequence[Record]) -> str:
    """Return the differences from published accuracies of networks, in points."""
    gaps = []
    for data, numbers in NETWORK_LITERATURE.items():
        for system, number in numbers.items():
            model = model_on(data, NETWORK_SYSTEMS[system])
            summary = summary_of(records, data, model, "nested")
            if number and summary is not None and summary.n >= 10:
                gap = 100 * summary.mean - float(number)
                gaps.append(f"{system} on {data} {gap:+.1f}")
    return _join(gaps) or _NOT_RUN


def _missing_networks(records: Sequence[Record]) -> str:
    """Return how many runs of networks are missing, and the time that they take."""
    jobs = [job for job in network_jobs(quick=False) if job.data in STATISTICS["graphs"]]
    counts = Counter(
        (record.data, record.model, record.protocol.partition("-")[0]) for record in records
    )
    hours = [
        estimate_hours(job.data, model)
        for job in jobs
        for model in job.models
        if counts[job.data, model, job.protocol] < (20 if job.protocol == "nodes" else 10)
    ]
    if not hours:
        return "none"
    return f"{len(hours)} of {len(jobs)}, about {sum(hours):.0f} hours on one core"


def _node_summary(records: Sequence[Record], data: str, model: str) -> Summary | None:
    return summary_of(records, data, model, "nodes-70", "micro_f1")


def _outdated(records: Sequence[Record]) -> str:
    """Return the models whose records have other parameters than now, with data sets."""
    current = {**MODELS, **{model.name: model for model in parameter_models()}}
    pairs = []
    for record in records:
        model = current.get(record.model)
        if model is not None and not (
            model.configuration.items() <= record.configuration.items()
        ):
            name, comma, _ = record.model.partition(",")
            name += " with other parameters" if comma else ""
            name += ", paper protocol" if record.protocol == "paper" else ""
            pairs.append((name, record.data))
    return _group_by_sets(pairs)


def _fewer_folds(records: Sequence[Record]) -> str:
    """Return the models of the ranks with fewer than three repeats, with data sets."""
    owned = [record for record in records if EXPERIMENTS["ranks"].owns(record)]
    counts = Counter((record.model, record.data) for record in owned)
    return _group_by_sets(
        [(f"{m} ({n} folds)", d) for (m, d), n in counts.items() if n < 30]
    )


def _group_by_sets(pairs: Sequence[tuple[str, str]]) -> str:
    """Return names with their data sets; names with the same sets are listed together."""
    sets: dict[str, set[str]] = {}
    for name, data in pairs:
        sets.setdefault(name, set()).add(data)
    names: dict[str, list[str]] = {}
    for name, of_name in sets.items():
        is_all = of_name == set(_SETS)
        listed = "all sets of the ranks" if is_all else ", ".join(sorted(of_name))
        names.setdefault(listed, []).append(name)
    texts = [f"{', '.join(group)} on {listed}" for listed, group in names.items()]
    return "; ".join(texts) or "none"


def _large_gckn(records: Sequence[Record]) -> str:
    """Return on how many folds of COLLAB the path variant of GCKN has 128 landmarks."""
    chosen = [
        record.chosen["embedding"].get("n_landmarks")
        for record in records
        if (record.data, record.model, record.protocol) == ("COLLAB", "gckn-path", "nested")
    ]
    return f"{chosen.count(128)} of {len(chosen)}"


def _node_classifiers(records: Sequence[Record]) -> str:
    """Return how often the model ``nodes`` has selected each kernel, by data set."""
    counts: dict[str, Counter[str]] = {}
    for record in records:
        if record.model == "nodes":
            kernel = record.chosen["node_classifier"]["kernel"]
            counts.setdefault(record.data, Counter())[kernel] += 1
    texts = [
        f"{data}: {', '.join(f'{kernel} {n}' for kernel, n in count.most_common())}"
        for data, count in counts.items()
    ]
    return "; ".join(texts) or _NOT_RUN


def _node_gains(records: Sequence[Record]) -> str:
    """Return the differences of micro F1 between ``nodes`` and ``nodes-linear``."""
    scores: dict[str, dict[str, dict[int, float]]] = {}
    for record in records:
        if record.protocol == "nodes-70" and record.model in {"nodes", "nodes-linear"}:
            by_model = scores.setdefault(record.data, {})
            by_model.setdefault(record.model, {})[record.seed] = record.scores["micro_f1"]
    texts = []
    for data, by_model in scores.items():
        best, linear = by_model.get("nodes", {}), by_model.get("nodes-linear", {})
        gains = [100 * (best[seed] - linear[seed]) for seed in best.keys() & linear.keys()]
        if len(gains) > 1:
            texts.append(f"{data}: {mean(gains):.1f} ± {stdev(gains):.1f}")
    return "; ".join(texts) or _NOT_RUN
