"""Round for display; nothing is computed here."""

from django import template

register = template.Library()


@register.filter
def percent(share: float | None) -> str:
    """Return a share as per cent with one decimal; a dash where it is undefined."""
    return "–" if share is None else f"{100 * share:.1f}%"


@register.filter
def percent_range(interval: list[float] | None) -> str:
    """Return an interval as per cent; a dash where there is none."""
    return "–" if interval is None else f"{100 * interval[0]:.1f}% to {100 * interval[1]:.1f}%"


@register.filter
def attribute_name(name: str) -> str:
    """Return the name of a profile attribute as people say it."""
    return name.removeprefix("attribute: ")
