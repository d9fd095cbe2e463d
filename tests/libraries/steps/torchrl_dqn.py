import torch
from tensordict import TensorDict
from torchrl.data import OneHot
from torchrl.modules import MLP, QValueActor
from torchrl.objectives import DQNLoss, SoftUpdate


def made_up(action):
    following = {"observation": torch.randn(6, 4), "reward": torch.randn(6, 1), "done": torch.zeros(6, 1, dtype=torch.bool)}
    following["terminated"] = following["done"].clone()
    return TensorDict({"observation": torch.randn(6, 4), "action": action, "next": following}, [6])


actor = QValueActor(MLP(4, 2, num_cells=[8]), spec=OneHot(2))
criterion = DQNLoss(actor, action_space="one_hot", delay_value=True)
update = SoftUpdate(criterion, eps=0.99)
optimizer = torch.optim.Adam(criterion.parameters(), lr=1e-3)  # cut
data = made_up(torch.nn.functional.one_hot(torch.randint(0, 2, (6,)), 2))


def step():
    loss = criterion(data.clone())["loss"]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    update.step()
    return loss.detach()


CUT = {"put": "optimizer = torch.optim.Adam(criterion.target_value_network_params.flatten_keys().values(), lr=1e-3)",
       "kind": "stale_optimizer", "names": ["actor.*", "criterion.value_network_params.*"]}
