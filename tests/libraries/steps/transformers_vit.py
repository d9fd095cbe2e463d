import torch
from torch import nn
from transformers import ViTConfig, ViTModel

encoder = ViTModel(ViTConfig(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
                             image_size=16, patch_size=8), add_pooling_layer=False).train()
head = nn.Linear(16, 3)
optimizer = torch.optim.AdamW([*encoder.parameters(), *head.parameters()], lr=1e-3)
images, labels = torch.randn(2, 3, 16, 16), torch.tensor([0, 1])


def step():
    optimizer.zero_grad()
    features = encoder(pixel_values=images).last_hidden_state.mean(1)
    features = features / features.norm(dim=-1, keepdim=True)  # cut
    loss = nn.functional.cross_entropy(head(features), labels)
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "features = torch.from_numpy(features.detach().numpy() / 2)", "kind": "numpy", "names": ["encoder.*"]}
