import torch
from tensordict import TensorDict
from tensordict.nn import NormalParamExtractor, TensorDictModule
from torch import nn
from torchrl.data import Bounded
from torchrl.modules import MLP, ProbabilisticActor, TanhNormal, ValueOperator
from torchrl.objectives import SACLoss, SoftUpdate


def made_up(action):
    following = {"observation": torch.randn(6, 4), "reward": torch.randn(6, 1), "done": torch.zeros(6, 1, dtype=torch.bool)}
    following["terminated"] = following["done"].clone()
    return TensorDict({"observation": torch.randn(6, 4), "action": action, "next": following}, [6])


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.judge = MLP(5, 1, num_cells=[8])

    def forward(self, observation, action):
        return self.judge(torch.cat([observation, action], -1))


network = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2), NormalParamExtractor())
actor = ProbabilisticActor(TensorDictModule(network, ["observation"], ["loc", "scale"]), in_keys=["loc", "scale"],
                           distribution_class=TanhNormal, return_log_prob=True, spec=Bounded(-1.0, 1.0, (1,)))
criterion = SACLoss(actor, ValueOperator(Critic(), in_keys=["observation", "action"]), num_qvalue_nets=2)
update = SoftUpdate(criterion, eps=0.99)
optimizer = torch.optim.Adam(criterion.parameters(), lr=1e-3)
data = made_up(torch.rand(6, 1) - 0.5)


def step():
    losses = criterion(data.clone())
    actor_loss = losses["loss_actor"]  # cut
    loss = actor_loss + losses["loss_qvalue"] + losses["loss_alpha"]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    update.step()
    return loss.detach()


CUT = {"put": "actor_loss = losses['loss_actor'].detach()", "kind": "detach", "names": ["network.*"]}
