"""How long something will take, told before it begins."""

from gskn.exceptions import InputError

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
