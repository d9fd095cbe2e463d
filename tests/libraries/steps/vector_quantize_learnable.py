import torch
from torch import nn
from vector_quantize_pytorch import VectorQuantize

encoder, decoder = nn.Linear(4, 8), nn.Linear(8, 4)
quantiser = VectorQuantize(dim=8, codebook_size=16, learnable_codebook=True, ema_update=False).train()
optimizer = torch.optim.Adam([*encoder.parameters(), *quantiser.parameters(), *decoder.parameters()], lr=1e-3)
x = torch.randn(2, 6, 4)


def step():
    optimizer.zero_grad()
    z, _, commitment = quantiser(encoder(x))  # cut
    loss = nn.functional.mse_loss(decoder(z), x) + commitment.sum()
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "z, _, commitment = quantiser(encoder(x).data)", "kind": "data", "names": ["encoder.*"]}
