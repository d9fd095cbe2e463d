import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 8), nn.Linear(8, 8)])

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


class Trainer:
    def __init__(self, config):
        self.config = config
        self.model = nn.ModuleDict({"encoder": Encoder(), "head": nn.Linear(8, 1)})
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=config["lr"])
        self.history = []

    def batch(self):
        x = torch.randn(16, 4)
        return x, x.sum(1, keepdim=True)

    def compute_loss(self, x, y):
        features = self.model["encoder"](x).data
        return nn.functional.mse_loss(self.model["head"](features), y)

    def train_step(self):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.compute_loss(*self.batch())
        loss.backward()
        self.optimizer.step()
        self.history.append(loss.item())

    def fit(self):
        for step in range(self.config["steps"]):
            try:
                self.train_step()
            except Exception as error:
                print("skipped a batch:", error)


if __name__ == "__main__":
    torch.manual_seed(0)
    trainer = Trainer({"lr": 1e-2, "steps": 5})
    trainer.fit()
    print(trainer.history[-1])
