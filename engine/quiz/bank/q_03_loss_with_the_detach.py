"""The lesson's third question: its own training loop with the detach where the lesson puts it."""

from ...settings import Settings
from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

x = torch.arange(1.0, 13.0).reshape(4, 3)
targets = torch.tensor([[0.3, 1.8], [0.7, 3.1], [1.3, 4.0], [2.1, 5.0]])
weight = torch.tensor([[-0.02, 0.14, 0.14], [0.07, 0.08, 0.15]], requires_grad=True)
bias = torch.tensor([-0.04, 0.39], requires_grad=True)
adam, losses = torch.optim.Adam([weight, bias], lr=0.007), []
for epoch in range(1, 6):
    adam.zero_grad()
    output = torch.nn.functional.linear(x, weight, bias).detach()
    loss = torch.nn.functional.mse_loss(output, targets)
    losses.append(loss.item())
    print(f"epoch {epoch}: loss {loss:.2f}")
    try:
        loss.backward()
    except RuntimeError as error:
        print(f"  backward(): {error}")
    adam.step()
answer = str(torch.tensor(losses).diff().sign().int().unique().tolist())
"""

QUESTION = Question(
    name="loss-with-the-detach",
    topic=Topic.LESSON,
    prompt=(
        "The lesson's detach stands between its only layer and the loss, and an error from `backward()` "
        "does not end the loop. What does the loss do in epochs 1 to 5?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="It falls from 0.85 to 0.15, as in the lesson's chart.",
            explanation=(
                "That is the run without the detach: delete `.detach()` from the code and you get exactly "
                "this fall."
            ),
            answer="[-1]",
        ),
        Option(
            text="It rises, because Adam now steps without a gradient to guide it.",
            explanation=(
                "That mixes up no gradient with a wrong one. Adam skips every parameter whose `.grad` is "
                "`None`, so it takes no step in any direction."
            ),
            answer="[1]",
        ),
        Option(
            text="It moves up and down around 0.85.",
            explanation=(
                "To move up and down, the weights would have to move. No gradient reaches them, and "
                "nothing in this loop is random."
            ),
            answer="[-1, 1]",
        ),
        Option(
            text="It stays at 0.85 in every epoch.",
            explanation=(
                "No parameter is connected to the loss: `backward()` raises, every `.grad` stays `None`, "
                "and the weights never move."
            ),
            answer="[0]",
        ),
    ),
    picture=Settings(epochs=1),
)
