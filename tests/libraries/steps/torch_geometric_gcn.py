import torch
from torch import nn
from torch_geometric.nn import GCNConv


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = GCNConv(4, 8)
        self.rest = nn.ModuleList([GCNConv(8, 8), GCNConv(8, 2)])  # cut

    def forward(self, x, edges):
        x = self.first(x, edges)
        for convolution in self.rest:
            x = convolution(x.tanh(), edges)
        return x


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
edges = torch.tensor([[0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 5, 1], [1, 0, 2, 1, 3, 2, 4, 3, 0, 4, 1, 5]])
nodes, labels = torch.randn(6, 4), torch.tensor([0, 1, 0, 1, 0, 1])
train = torch.tensor([True, True, True, True, False, False])


def step():
    optimizer.zero_grad()
    out = model(nodes, edges)
    loss = nn.functional.cross_entropy(out[train], labels[train])
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "self.rest = [GCNConv(8, 8), GCNConv(8, 2)]", "kind": "unregistered", "names": ["model.rest[[][01]].*"]}
