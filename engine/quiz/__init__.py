"""The quiz: predict first, then torch decides.

    from . import prove, rounds

    first = rounds()[0][0]
    proof = prove(first)
    print(first.prompt, proof.output, first.options[proof.right].text, sep="\\n")

A question holds no mark that says which option is right. It holds a short script. `prove` runs the script, takes the
value that it measured, and the right option is the one that predicted this value. So the quiz cannot disagree with the
torch that is installed: a question whose options miss the outcome is an error, never a wrong grade.

A question is one file in `engine/quiz/bank/`, found by being there.
"""

from .answers import Answers, proof_of, readable
from .definition import Answer, Level, Option, Question, Topic
from .finding import question, questions, round_of, rounds
from .proof import Proof, prove

__all__ = [
    "Answer",
    "Answers",
    "Level",
    "Option",
    "Proof",
    "Question",
    "Topic",
    "proof_of",
    "prove",
    "question",
    "questions",
    "readable",
    "round_of",
    "rounds",
]
