"""Provider errors that say a request was too large for the model: recognised, and read for their numbers.

`classify` judges an error answer, `check_usage` an answer that came in spite of everything. Both are pure. In this
order: `unwrap` takes the texts out of whatever they were wrapped in, `signals` has the codes and wordings, `numbers`
finds out which number is the limit. The rules and the corpus they stand on: research of context-overflow errors of some
60 providers, summed up in docs/design.md (Overflow).
"""

from sidekeep.request.overflow.classifier import classify
from sidekeep.request.overflow.usage import TokenUsage, check_usage
from sidekeep.request.overflow.verdict import Kind, Verdict

__all__ = ["Kind", "TokenUsage", "Verdict", "check_usage", "classify"]
