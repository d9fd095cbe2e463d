import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel

config = GPT2Config(vocab_size=64, n_positions=16, n_embd=16, n_layer=2, n_head=2, bos_token_id=1, eos_token_id=2)
model = GPT2LMHeadModel(config).train()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
batches = [torch.randint(3, 64, (2, 8)) for _ in range(2)]


def step():
    optimizer.zero_grad()
    losses = [model(input_ids=ids, labels=ids).loss for ids in batches]
    loss = torch.stack(losses).mean()  # cut
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.detach()


CUT = {"put": "loss = torch.tensor(losses, requires_grad=True).mean()", "kind": "torch_tensor", "names": ["model.*"]}
