from review.models.audits import Audit, MaskDecision, Membership, PoolRun, RubricVersion
from review.models.claims import Citation, Claim
from review.models.corpora import Corpus, CorpusEntry, OutputSource, Source
from review.models.events import ChainHead, Event
from review.models.jobs import Job
from review.models.judgments import Adjudication, Draft, Judgment, Submission
from review.models.packets import Assignment, Packet
from review.models.tasks import ImportWitness, Output, Run, RunImport, System, Task

__all__ = [
    "Adjudication",
    "Assignment",
    "Audit",
    "ChainHead",
    "Citation",
    "Claim",
    "Corpus",
    "CorpusEntry",
    "Draft",
    "Event",
    "ImportWitness",
    "Job",
    "Judgment",
    "MaskDecision",
    "Membership",
    "Output",
    "OutputSource",
    "Packet",
    "PoolRun",
    "RubricVersion",
    "Run",
    "RunImport",
    "Source",
    "Submission",
    "System",
    "Task",
]
