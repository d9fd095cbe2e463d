import gymnasium
import numpy
from stable_baselines3 import SAC
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn


class Environment(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (3,), numpy.float32)
    action_space = gymnasium.spaces.Box(-1, 1, (2,), numpy.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.turn = 0
        return self.look(), {}

    def look(self):
        return self.np_random.uniform(-1, 1, 3).astype(numpy.float32)

    def step(self, action):
        self.turn += 1
        return self.look(), float(numpy.sum(action)), self.turn >= 5, False, {}


class Features(BaseFeaturesExtractor):
    def __init__(self, space):
        super().__init__(space, 8)
        self.net = nn.Linear(3, 8)

    def forward(self, observations):
        return self.net(observations).tanh()  # cut


options = {"net_arch": [8], "features_extractor_class": Features}
model = SAC("MlpPolicy", Environment(), policy_kwargs=options, device="cpu", seed=0, learning_starts=4, batch_size=4, buffer_size=100)


def step():
    model.learn(8, reset_num_timesteps=False)


CUT = {"put": "return self.net(observations).tanh().detach()", "kind": "detach", "names": ["model.*.features_extractor.*"]}
