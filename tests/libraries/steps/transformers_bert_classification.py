import torch
from torch import nn
from transformers import BertConfig, BertModel


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = BertModel(BertConfig(vocab_size=64, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                                         intermediate_size=32, max_position_embeddings=32))
        self.heads = nn.ModuleList([nn.Linear(16, 3), nn.Linear(16, 3)])  # cut

    def forward(self, ids):
        pooled = self.bert(input_ids=ids).pooler_output
        return sum(head(pooled) for head in self.heads)


model = Classifier().train()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
ids, labels = torch.randint(3, 64, (2, 8)), torch.tensor([0, 2])


def step():
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(ids), labels)
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "self.heads = [nn.Linear(16, 3), nn.Linear(16, 3)]", "kind": "unregistered", "names": ["model.heads[[][01]].*"]}
