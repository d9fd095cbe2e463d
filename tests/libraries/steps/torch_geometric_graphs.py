import torch
from torch import nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GINConv, global_mean_pool

model = GINConv(nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 8)), train_eps=True)
head = nn.Linear(8, 2)
optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=0.01)
edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
batch = Batch.from_data_list([Data(x=torch.randn(3, 4), edge_index=edges, y=torch.tensor([n])) for n in (0, 1)])


def step():
    optimizer.zero_grad()
    hidden = model(batch.x, batch.edge_index)
    pooled = global_mean_pool(hidden, batch.batch)  # cut
    loss = nn.functional.cross_entropy(head(pooled), batch.y)
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "pooled = torch.as_tensor(global_mean_pool(hidden, batch.batch).tolist())", "kind": "torch_tensor",
       "names": ["model.*"]}
