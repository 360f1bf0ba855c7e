"""How much time or memory something will take, told before it begins."""

from gskn.exceptions import InputError
from gskn.graphs import GraphBatch

_DAY = 24 * 3600.0


def refuse_days(seconds: float, system: str, remedy: str) -> None:
    """Refuse what would take more than a day, with an estimate.

    Parameters
    ----------
    seconds : float
        An estimate, good to a factor of two or three.
    system : str
        What would take so long, as the subject of a sentence.
    remedy : str
        What to do instead, as a command.
    """
    if seconds > _DAY:
        raise InputError(
            f"{system} would take {seconds / _DAY:.1f} days on these graphs; {remedy}."
        )


def check_sizes(batch: GraphBatch, system: str, largest: int) -> None:
    """Refuse graphs of more nodes than there is room for all pairs of."""
    found = int(batch.graph_sizes.max(initial=0))
    if found > largest:
        raise InputError(
            f"Graph {int(batch.graph_sizes.argmax())} has {found} nodes, and {system} "
            "holds numbers for all pairs of nodes of a graph; give graphs of at most "
            f"{largest}."
        )
