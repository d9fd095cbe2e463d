import torch
from transformers import LlamaConfig, LlamaForCausalLM, get_linear_schedule_with_warmup

model = LlamaForCausalLM(LlamaConfig(vocab_size=64, hidden_size=16, intermediate_size=32, num_hidden_layers=2,
                                     num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=32))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)  # cut
schedule = get_linear_schedule_with_warmup(optimizer, 1, 10)
ids = torch.randint(3, 64, (2, 8))
mask = torch.ones_like(ids)
mask[0, :3] = 0
labels = ids.masked_fill(mask == 0, -100)


def step():
    loss = model(input_ids=ids, attention_mask=mask, labels=labels).loss
    loss.backward()
    optimizer.step()
    schedule.step()
    optimizer.zero_grad()
    return loss.detach()


CUT = {"put": "optimizer = torch.optim.AdamW(model.model.layers.parameters(), lr=1e-3)", "kind": "unregistered",
       "names": ["model.model.embed_tokens.*", "model.model.norm.*", "model.lm_head.*"]}
