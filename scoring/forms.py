"""The admin's upload."""

from django import forms

from review.forms import KeyedForm


class ImportForm(KeyedForm):
    file = forms.FileField(
        label="Run file",
        help_text="JSONL, one output a line; gzip allowed.",
        error_messages={"required": "Choose a file.", "empty": "The file is empty."},
    )
    dry_run = forms.BooleanField(required=False, label="Only check it; store nothing")
