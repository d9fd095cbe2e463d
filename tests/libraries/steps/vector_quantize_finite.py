import torch
from torch import nn
from vector_quantize_pytorch import FSQ

encoder, decoder = nn.Linear(4, 8), nn.Linear(8, 4)
quantiser = FSQ([5, 4, 3], dim=8).train()
optimizer = torch.optim.Adam([*encoder.parameters(), *quantiser.parameters(), *decoder.parameters()], lr=1e-3)
x = torch.randn(2, 6, 4)


def step():
    optimizer.zero_grad()
    z, _ = quantiser(encoder(x))  # cut
    loss = nn.functional.mse_loss(decoder(z), x)
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "z = torch.tensor(quantiser(encoder(x))[0].tolist())", "kind": "torch_tensor", "names": ["encoder.*", "quantiser.project*"]}
