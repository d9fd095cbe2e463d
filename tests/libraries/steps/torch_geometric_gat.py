import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import GATConv

first, second = GATConv(4, 4, heads=2, dropout=0.2), GATConv(8, 2, concat=False)
optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=0.01)
edges = torch.tensor([[0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 5, 1], [1, 0, 2, 1, 3, 2, 4, 3, 0, 4, 1, 5]])
nodes, labels = torch.randn(6, 4), torch.tensor([0, 1, 0, 1, 0, 1])


def step():
    optimizer.zero_grad()
    hidden = nn.functional.elu(first(nodes, edges))
    graph = Data(x=hidden, edge_index=edges)  # cut
    loss = nn.functional.cross_entropy(second(graph.x, graph.edge_index), labels)
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "graph = Data(x=hidden, edge_index=edges).detach()", "kind": "detach", "names": ["first.*"]}
