import argparse

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(4, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        h = torch.relu(self.enc(x))
        return self.head(h.detach())


def train(model, lr, epochs):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for epoch in range(epochs):
        x = torch.randn(16, 4)
        loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print("epoch", epoch, loss.item())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=0.1)
    p.add_argument("--epochs", type=int, default=5)
    a = p.parse_args()
    torch.manual_seed(0)
    net = Net()
    train(net, a.lr, a.epochs)


if __name__ == "__main__":
    main()
