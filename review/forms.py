"""What people type; rules about it live in rules.py and in the workflow."""

import uuid
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.text import slugify

from review.blinding import PacketContent
from review.models import Audit, Corpus, Membership, RubricVersion
from review.models.judgments import Verdict
from review.rules import Location, judgment_problems, location_from_text

REASON_LENGTH = 10_000


class KeyedForm(forms.Form):
    """A form that acts once: its hidden key is made when the page is shown."""

    key = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)


class JudgmentForm(KeyedForm):
    verdict = forms.ChoiceField(
        choices=Verdict.choices, error_messages={"required": "Choose supported, insufficient or unresolved."}
    )
    seen_version = forms.IntegerField(widget=forms.HiddenInput, required=False, initial=0)
    reason = forms.CharField(
        required=False,
        strip=False,
        max_length=REASON_LENGTH,
        widget=forms.Textarea,
        error_messages={"max_length": f"At most {REASON_LENGTH:,} characters; keep what decides the verdict."},
    )
    location = forms.CharField(required=False)

    def __init__(self, *arguments: Any, content: PacketContent, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.content = content

    def clean_location(self) -> Location | None:
        try:
            return location_from_text(self.cleaned_data["location"])
        except ValueError:
            raise forms.ValidationError("This is no passage of a source. Choose one from the list.") from None

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if "verdict" in values and "location" in values:
            problems = judgment_problems(self.content, values["verdict"], values["reason"], values["location"])
            for field, sentence in problems.items():
                self.add_error(field, sentence)
        return values


class DraftForm(forms.Form):
    """Unfinished work: nothing is required, nothing is judged."""

    verdict = forms.ChoiceField(choices=[("", ""), *Verdict.choices], required=False)
    reason = forms.CharField(required=False, strip=False, max_length=REASON_LENGTH)
    location = forms.CharField(required=False, max_length=40)


class RulingForm(KeyedForm):
    verdict = forms.ChoiceField(
        choices=Verdict.choices, error_messages={"required": "Choose a ruling, or keep the claim unresolved."}
    )
    reason = forms.CharField(
        max_length=REASON_LENGTH,
        widget=forms.Textarea,
        error_messages={"required": "Say in a few words why you rule this way."},
    )


class AuditForm(forms.Form):
    title = forms.CharField(max_length=200)
    slug = forms.SlugField(
        max_length=80, required=False, label="Short name", help_text="For addresses and commands; made from the title."
    )
    reviews_per_packet = forms.IntegerField(
        min_value=2,
        max_value=9,
        initial=2,
        label="Reviewers per packet",
        help_text="From 2 to 9 people judge each packet, independently.",
    )
    needs_second_person = forms.BooleanField(
        required=False,
        initial=True,
        label="A second lead confirms the lock",
        help_text="Needs another lead in this audit. The report says which it was.",
    )
    is_pilot = forms.BooleanField(
        required=False, label="Pilot", help_text="A small audit to try the rubric; the report says so."
    )

    supersedes = forms.ModelChoiceField(
        Audit.objects.none(),
        required=False,
        label="Supersedes",
        help_text="An earlier audit of yours that this one replaces; it stays readable, and the report names it.",
    )

    def __init__(self, *arguments: Any, led: QuerySet[Audit], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["supersedes"].queryset = led  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        values["slug"] = values.get("slug") or slugify(values.get("title", ""))[:80]
        if values["slug"] == "new":
            self.add_error("slug", "“new” is an address of its own. Choose another.")
        elif not values["slug"]:
            self.add_error("slug", "Give a short name of letters, digits and hyphens.")
        elif Audit.objects.filter(slug=values["slug"]).exists():
            self.add_error("slug", "An audit with this short name exists already.")
        return values


class PoolForm(forms.Form):
    runs = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple, error_messages={"required": "Choose a run."})
    categories = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Only tasks of these categories",
        help_text="None chosen: all.",
    )

    def __init__(self, *arguments: Any, runs: list[tuple[int, str]], categories: list[str], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["runs"].choices = runs  # type: ignore[attr-defined]
        if len(categories) > 1:
            self.fields["categories"].choices = [(name, name) for name in categories]  # type: ignore[attr-defined]
        else:
            del self.fields["categories"]


class RubricForm(forms.ModelForm):
    class Meta:
        model = RubricVersion
        fields = ["corpus", "cutoff", "statement", "meaning", "settle_rule", "output_rule", "share_percent"]
        labels = {
            "corpus": "Reference corpus",
            "cutoff": "Cut-off date",
            "statement": "Rules for reviewers",
            "meaning": "What sufficient evidence means",
            "settle_rule": "A claim settles when",
            "output_rule": "An output's evidence is supported when",
            "share_percent": "Share in per cent",
        }
        help_texts = {
            "corpus": "The material within which claims are judged. What lies outside it is not shown to reviewers.",
            "statement": "Markdown. Which claims need support and what kind, what counter-evidence blocks acceptance, "
            "how conflicts between sources resolve.",
            "share_percent": "Only with the share rule.",
        }
        widgets = {
            "cutoff": forms.DateInput(attrs={"type": "date"}),
            "statement": forms.Textarea(attrs={"rows": 12}),
        }

    def __init__(self, *arguments: Any, corpora: Any = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["corpus"].queryset = Corpus.objects.all() if corpora is None else corpora  # type: ignore[attr-defined]


class MemberForm(forms.Form):
    username = forms.CharField(max_length=150, label="User name")
    role = forms.ChoiceField(
        choices=[*Membership.Role.choices, ("", "Nobody: remove from this audit")],
        required=False,
        initial=Membership.Role.REVIEWER,
    )

    def clean_username(self) -> User:
        user = User.objects.filter(username=self.cleaned_data["username"], is_active=True).first()
        if user is None:
            raise forms.ValidationError("There is no active account with this user name. Ask an admin to create it.")
        return user


class LockForm(forms.Form):
    reason = forms.CharField(max_length=500, label="Why now", error_messages={"required": "Give the reason."})
    accept_unsettled = forms.BooleanField(required=False)
