"""Estimates of running time and memory, checked before a computation starts."""

from gskn.exceptions import InputError
from gskn.graphs import GraphBatch

_DAY = 24 * 3600.0


def check_runtime(seconds: float, system: str, remedy: str) -> None:
    """Raise if a computation would take more than a day.

    Parameters
    ----------
    seconds : float
        Estimated running time, accurate to a factor of two or three.
    system : str
        Subject of the error message.
    remedy : str
        Advice at the end of the error message, in the imperative.
    """
    if seconds > _DAY:
        raise InputError(
            f"{system} would take {seconds / _DAY:.1f} days on these graphs; {remedy}."
        )


def check_graph_sizes(batch: GraphBatch, system: str, max_nodes: int) -> None:
    """Raise if a graph has too many nodes for a matrix of all pairs of its nodes."""
    n_nodes = int(batch.graph_sizes.max(initial=0))
    if n_nodes > max_nodes:
        raise InputError(
            f"Graph {int(batch.graph_sizes.argmax())} has {n_nodes} nodes. {system} stores "
            f"a matrix of all pairs of nodes of a graph and supports at most {max_nodes} "
            "nodes."
        )
