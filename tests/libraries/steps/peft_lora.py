import torch
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

base = LlamaForCausalLM(LlamaConfig(vocab_size=64, hidden_size=16, intermediate_size=32, num_hidden_layers=2,
                                    num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=32))
adapter = LoraConfig(r=2, lora_dropout=0.1, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
model = get_peft_model(base, adapter).train()
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
ids = torch.randint(3, 64, (2, 8))


def step():
    optimizer.zero_grad()
    loss = model(input_ids=ids, labels=ids).loss  # cut
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "loss = torch.tensor(model(input_ids=ids, labels=ids).loss.item(), requires_grad=True)", "kind": "item",
       "names": ["*.lora_*"]}
