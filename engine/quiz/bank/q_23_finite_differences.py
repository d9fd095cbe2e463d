"""A numerical slope sees the values, and so it sees through a detach."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

def f(w):
    return (w**2).detach() + w

w, h = torch.tensor(3.0, dtype=torch.float64, requires_grad=True), 0.001
f(w).backward()
slope = ((f(w + h) - f(w - h)) / (2 * h)).item()
print("autograd:", w.grad.item())
print("quotient:", round(slope, 6))
answer = (w.grad.item(), round(slope, 6))
"""

QUESTION = Question(
    name="finite-differences",
    topic=Topic.RESEARCH,
    prompt=(
        "In `f` the square is detached. Which slope does autograd report at `w = 3`, and which does the "
        "difference quotient give?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="7 and 7",
            explanation=(
                "That expects autograd to know the function. It knows the graph, where the square is a "
                "constant, so it leaves out the 6 that the square adds to the slope."
            ),
            answer=(7.0, 7.0),
        ),
        Option(
            text="1 and 1",
            explanation=(
                "That expects the quotient to know of the detach. It only compares values of `f`, and "
                "those contain the square."
            ),
            answer=(1.0, 1.0),
        ),
        Option(
            text="7 and 1",
            explanation=(
                "That has the two reversed: autograd follows the graph, which is cut, and the quotient "
                "follows the values, which are whole."
            ),
            answer=(7.0, 1.0),
        ),
        Option(
            text="1 and 7",
            explanation=(
                "The quotient uses values, and a detach leaves them alone. A gradient check that "
                "disagrees with autograd can thus reveal a cut."
            ),
            answer=(1.0, 7.0),
        ),
    ),
)
