import torch
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

base = LlamaForCausalLM(LlamaConfig(vocab_size=64, hidden_size=16, intermediate_size=32, num_hidden_layers=2,
                                    num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=32))
base.gradient_checkpointing_enable({"use_reentrant": False})
optimizer = None  # cut
model = get_peft_model(base, LoraConfig(r=2, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")).train()
optimizer = optimizer or torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)  # <--
ids = torch.randint(3, 64, (2, 8))


def step():
    optimizer.zero_grad()
    loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "optimizer = torch.optim.AdamW(base.parameters(), lr=1e-3)", "kind": "unregistered", "names": ["*.lora_*"]}
