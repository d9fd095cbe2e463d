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
        "`f(w) = (w ** 2).detach() + w` at `w = 3`. Which slope does autograd report, and which one "
        "does the quotient `(f(w + h) - f(w - h)) / 2h` give?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="7 and 7",
            explanation="The full derivative is 2w + 1 = 7, but autograd meets the detach and drops the 2w.",
            answer=(7.0, 7.0),
        ),
        Option(
            text="1 and 1",
            explanation="The quotient only compares values of `f`, and those do contain the square.",
            answer=(1.0, 1.0),
        ),
        Option(
            text="7 and 1",
            explanation="Swapped: autograd is the one that follows the graph, and the graph is cut.",
            answer=(7.0, 1.0),
        ),
        Option(
            text="1 and 7",
            explanation=(
                "The quotient uses values, and a detach leaves them alone. A gradient check that "
                "disagrees can thus reveal a cut."
            ),
            answer=(1.0, 7.0),
        ),
    ),
)
