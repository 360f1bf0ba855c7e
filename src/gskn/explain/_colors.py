"""Colors of signed contributions: one symmetric scale around white."""

from html import escape

# Both can be told apart without red and green, and black text is readable on both.
POSITIVE = (226, 106, 44)  # orange
NEGATIVE = (70, 130, 220)  # blue
_SAMPLES = 9  # colored steps of a legend


def color_of(value: float, scale: float) -> str:
    """Return the color of a value, white for zero and full at ``scale``.

    Examples
    --------
    >>> color_of(0.0, 1.0), color_of(2.0, 1.0), color_of(-1.0, 1.0)
    ('#ffffff', '#e26a2c', '#4682dc')
    """
    share = min(abs(value) / scale, 1.0) if scale > 0 else 0.0
    end = POSITIVE if value > 0 else NEGATIVE
    mixed = [round(255 + share * (part - 255)) for part in end]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def legend_svg(scale: float, low: str, high: str) -> str:
    """Return a legend of the colors from ``-scale`` to ``scale``."""
    width, height = 26, 14
    left = 70
    cells = "".join(
        f'<rect x="{left + width * number}" y="2" width="{width}" height="{height}" '
        f'fill="{color_of(scale * (2 * number / (_SAMPLES - 1) - 1), scale)}"/>'
        for number in range(_SAMPLES)
    )
    end = left + width * _SAMPLES
    frame = (
        f'<rect x="{left}" y="2" width="{width * _SAMPLES}" height="{height}" '
        'fill="none" stroke="#8a93a0" stroke-width="0.7"/>'
    )
    style = 'font-size="12" font-family="sans-serif" fill="#1c2430"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {end + 70} 36" '
        f'width="{end + 70}" height="36" role="img" aria-label="color scale">'
        f"{cells}{frame}"
        f'<text x="{left - 6}" y="14" text-anchor="end" {style}>{-scale:.3g}</text>'
        f'<text x="{end + 6}" y="14" {style}>{scale:+.3g}</text>'
        f'<text x="{left}" y="32" {style}>{escape(low)}</text>'
        f'<text x="{end}" y="32" text-anchor="end" {style}>{escape(high)}</text></svg>'
    )
