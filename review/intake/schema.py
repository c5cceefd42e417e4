"""The record layout of a run file: one JSON object a line, one line an output.

Strict: a number is not a text, 1 is not true, an unknown key is an error (but for `output`, whose
further keys are kept as they are). Published as docs/run-record.schema.json.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

Id = Annotated[str, Field(min_length=1, max_length=300)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class TaskPart(Part):
    id: Id
    prompt: str
    category: Annotated[str, Field(max_length=300)] | None = None
    attributes: dict[str, JsonValue] = {}


class OutputPart(Part):
    model_config = ConfigDict(strict=True, extra="allow")

    id: Id
    system: Name
    answer: str
    correct: bool | None = None
    correct_basis: Annotated[str, Field(max_length=100)] | None = None
    correct_votes: dict[str, int] = {}
    abstained: bool | None = None
    response: dict[str, JsonValue] | None = None
    usage: dict[str, JsonValue] | None = None


class CitationPart(Part):
    source_id: Id
    label: Annotated[str, Field(max_length=300)] | None = None
    quote: str | None = None


class ClaimPart(Part):
    id: Id
    text: Annotated[str, Field(min_length=1)]
    required: bool = True
    citations: list[CitationPart] = []


class SourcePart(Part):
    id: Id
    title: str | None = None
    url: str | None = None
    text: str | None = None
    version: Annotated[str, Field(max_length=100)] | None = None
    scope: Annotated[str, Field(max_length=100)] | None = None
    published: Annotated[str, Field(max_length=40)] | None = None
    truncated: bool = False


class LabelPart(Part):
    claim_id: Id
    reviewer: Name
    judgment: Literal["supported", "insufficient", "unresolved"]
    note: str | None = None
    raw: JsonValue = None


class Record(Part):
    """One output with its task, claims, citations, sources, signals and reference labels."""

    task: TaskPart
    output: OutputPart
    claims: list[ClaimPart] = []
    sources: list[SourcePart] = []
    signals: dict[Annotated[str, Field(min_length=1, max_length=100)], float | None] = {}
    signal_families: dict[str, Annotated[str, Field(max_length=100)]] = {}
    labels: list[LabelPart] = []

    @model_validator(mode="before")
    @classmethod
    def _is_an_object(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            raise ValueError("a line must be one JSON object")
        return value


def record_schema() -> dict[str, Any]:
    """Return the JSON Schema of a record."""
    schema = Record.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
