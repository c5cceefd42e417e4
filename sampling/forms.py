"""The lead's choices for design, freeze and seed."""

from typing import Any

from django import forms

from review.forms import KeyedForm
from sampling.draw import seed_problem
from sampling.models import Design, Seed


class DesignForm(forms.Form):
    profile_attributes = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Groups of the report",
        help_text="The report covers the whole pool and each value of these.",
    )
    strata_attributes = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Strata",
        help_text="Correctness is always part of a stratum; few strata that are not tiny give the best precision.",
    )
    merge_below = forms.IntegerField(
        min_value=0, initial=0, label="Merge strata smaller than", help_text="0: merge none."
    )
    reserve = forms.IntegerField(min_value=2, max_value=50, initial=3, label="Reserve per stratum")
    budget = forms.IntegerField(min_value=1, initial=60, label="Budget in packets")

    def __init__(self, *arguments: Any, choices: list[str], **options: Any) -> None:
        super().__init__(*arguments, **options)
        pairs = [(name, name) for name in choices]
        groups = [pair for pair in pairs if not pair[0].startswith("signal: ")]
        self.fields["profile_attributes"].choices = groups  # type: ignore[attr-defined]
        self.fields["strata_attributes"].choices = pairs  # type: ignore[attr-defined]


class FreezeForm(forms.Form):
    """One decision for each system name that occurs in answers of the pool."""

    def __init__(self, *arguments: Any, names: dict[str, int], excerpts: dict[str, list[str]], **options: Any) -> None:
        super().__init__(*arguments, **options)
        for place, (name, count) in enumerate(names.items()):
            self.fields[f"name_{place}"] = forms.ChoiceField(
                label=f"“{name}” stands in {count} texts",
                choices=[("mask", "Mask it"), ("waive", "Leave it: here it is no name")],
                widget=forms.RadioSelect,
                help_text=" · ".join(excerpts[name]),
            )
        self.names = list(names)

    def decided(self, decision: str) -> list[str]:
        """Return the names with this decision."""
        return [name for place, name in enumerate(self.names) if self.cleaned_data[f"name_{place}"] == decision]


class SeedForm(KeyedForm):
    origin = forms.ChoiceField(choices=Seed.Origin.choices, initial=Seed.Origin.DICE, widget=forms.RadioSelect)
    value = forms.CharField(
        required=False, max_length=200, label="Value", help_text="20 or more dice digits, or the beacon's value."
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        values["value"] = values.get("value", "").strip()
        problem = seed_problem(values.get("origin", ""), values["value"])
        if problem:
            self.add_error("value", problem)
        return values


def design_values(design: Design | None) -> dict[str, Any]:
    """Return a stored design as form values."""
    names = ("profile_attributes", "strata_attributes", "merge_below", "reserve", "budget")
    return {name: getattr(design, name) for name in names} if design else {}
