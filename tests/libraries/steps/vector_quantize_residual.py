import torch
from torch import nn
from vector_quantize_pytorch import ResidualVQ

encoder, decoder = nn.Linear(4, 8), nn.Linear(8, 4)
quantiser = ResidualVQ(dim=8, num_quantizers=3, codebook_size=8).train()
optimizer = torch.optim.Adam([*encoder.parameters(), *quantiser.parameters(), *decoder.parameters()], lr=1e-3)
x = torch.randn(2, 6, 4)


def step():
    optimizer.zero_grad()
    z, _, commitment = quantiser(encoder(x))  # cut
    loss = nn.functional.mse_loss(decoder(z), x) + commitment.sum()
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "z, _, commitment = quantiser(torch.from_numpy(encoder(x).detach().numpy() * 1))", "kind": "numpy", "names": ["encoder.*"]}
