import torch
from diffusers import SD3Transformer2DModel
from torch import nn

model = SD3Transformer2DModel(sample_size=8, patch_size=2, in_channels=1, out_channels=1, num_layers=2, attention_head_dim=4,
                              num_attention_heads=2, joint_attention_dim=8, caption_projection_dim=8,
                              pooled_projection_dim=8, pos_embed_max_size=8)
encode = nn.Linear(6, 8)
optimizer = torch.optim.AdamW([*model.parameters(), *encode.parameters()], lr=1e-3)
images, words = torch.rand(2, 1, 8, 8), torch.randn(2, 3, 6)


def step():
    noise, times = torch.randn_like(images), torch.rand(2)
    noisy = torch.lerp(images, noise, times[:, None, None, None])
    text = encode(words)  # cut
    velocity = model(noisy, timestep=times * 1000, encoder_hidden_states=text, pooled_projections=text.mean(1)).sample
    loss = nn.functional.mse_loss(velocity, noise - images)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.detach()


CUT = {"put": "text = encode(words).detach()", "kind": "detach", "names": ["encode.*"]}
