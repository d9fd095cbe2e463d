import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class D(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        x = torch.randn(3, generator=g)
        return x, x.sum()[None]


def main(ctx):
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    opt = torch.optim.SGD(net.parameters(), 0.1)
    dl = DataLoader(D(), batch_size=4, num_workers=2, multiprocessing_context=ctx, shuffle=True)
    for epoch in range(2):
        for x, y in dl:
            loss = (net(x) - y).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
