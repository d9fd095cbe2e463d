import torch
from peft import LoraConfig, get_peft_model
from torch import nn
from transformers import BertConfig, BertForSequenceClassification

base = BertForSequenceClassification(BertConfig(vocab_size=64, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                                                intermediate_size=32, max_position_embeddings=32, num_labels=3))
model = get_peft_model(base, LoraConfig(r=2, use_dora=True, target_modules=["query", "value"], task_type="SEQ_CLS")).train()
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
ids, labels = torch.randint(3, 64, (2, 8)), torch.tensor([0, 2])


def step():
    optimizer.zero_grad()
    pooled = base.bert(input_ids=ids).pooler_output
    pooled = base.dropout(pooled)  # cut
    loss = nn.functional.cross_entropy(base.classifier(pooled), labels)
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "pooled = base.dropout(pooled.detach())", "kind": "detach", "names": ["*.lora_*"]}
