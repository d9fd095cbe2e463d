import torch
from tensordict import TensorDict
from tensordict.nn import NormalParamExtractor, TensorDictModule
from torch import nn
from torchrl.modules import MLP, ProbabilisticActor, TanhNormal, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE


def made_up(action):
    following = {"observation": torch.randn(6, 4), "reward": torch.randn(6, 1), "done": torch.zeros(6, 1, dtype=torch.bool)}
    following["terminated"] = following["done"].clone()
    return TensorDict({"observation": torch.randn(6, 4), "action": action, "next": following}, [6])


network = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2), NormalParamExtractor())
actor = ProbabilisticActor(TensorDictModule(network, ["observation"], ["loc", "scale"]), in_keys=["loc", "scale"],
                           distribution_class=TanhNormal, return_log_prob=True)
critic = ValueOperator(MLP(4, 1, num_cells=[8]), in_keys=["observation"])
criterion = ClipPPOLoss(actor, critic, entropy_coeff=0.01)
advantage = GAE(gamma=0.9, lmbda=0.9, value_network=critic, average_gae=True)
optimizer = torch.optim.Adam(criterion.parameters(), lr=1e-3)
data = made_up(torch.rand(6, 1) - 0.5)
with torch.no_grad():
    data["action_log_prob"] = actor.get_dist(data.clone()).log_prob(data["action"])


def step():
    batch = data.clone()
    with torch.no_grad():
        advantage(batch)
    losses = criterion(batch)
    value = losses["loss_critic"]  # cut
    loss = losses["loss_objective"] + losses["loss_entropy"] + value
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(criterion.parameters(), 1.0)
    optimizer.step()
    return loss.detach()


CUT = {"put": "value = losses['loss_critic'].item()", "kind": "item", "names": ["critic.*", "criterion.critic_network_params.*"]}
