import torch
from torch import nn

torch.manual_seed(0)
netG = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
netD = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
bce = nn.BCEWithLogitsLoss()
optG = torch.optim.Adam(netG.parameters(), 1e-3)
optD = torch.optim.Adam(netD.parameters(), 1e-3)
for i in range(6):
    real = torch.randn(16, 2)
    netD.zero_grad()
    d_real = bce(netD(real), torch.ones(16, 1))
    d_real.backward()
    fake = netG(torch.randn(16, 3))
    d_fake = bce(netD(fake.detach()), torch.zeros(16, 1))
    d_fake.backward()
    optD.step()
    netG.zero_grad()
    g = bce(netD(fake.detach()), torch.ones(16, 1))
    g.backward()
    optG.step()
