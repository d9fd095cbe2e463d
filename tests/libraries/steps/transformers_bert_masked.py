import torch
from torch import nn
from transformers import BertConfig, BertModel

model = BertModel(BertConfig(vocab_size=64, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                             intermediate_size=32, max_position_embeddings=32)).train()
head = nn.Linear(16, 64)
optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()], lr=1e-3)
ids = torch.randint(3, 64, (2, 8))
masked = torch.rand(ids.shape) < 0.5


def step():
    optimizer.zero_grad()
    hidden = model(input_ids=ids.masked_fill(masked, 1)).last_hidden_state
    hidden = hidden[masked]  # cut
    loss = nn.functional.cross_entropy(head(hidden), ids[masked])
    loss.backward()
    optimizer.step()
    return loss.detach()


UNUSED = ["model.pooler.*"]
CUT = {"put": "hidden = hidden[masked].detach()", "kind": "detach", "names": ["model.[!p]*"]}
