import torch
from diffusers import VQModel
from torch import nn

model = VQModel(in_channels=1, out_channels=1, down_block_types=("DownEncoderBlock2D",) * 2, latent_channels=2,
                up_block_types=("UpDecoderBlock2D",) * 2, block_out_channels=(8, 8), layers_per_block=1,
                norm_num_groups=4, sample_size=8, num_vq_embeddings=8)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
images = torch.rand(2, 1, 8, 8)


def step():
    latents = model.encode(images).latents
    quantised, commitment, _ = model.quantize(latents)  # cut
    decoded = model.decode(quantised, force_not_quantize=True).sample
    loss = nn.functional.mse_loss(decoded, images) + commitment
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "quantised, commitment, _ = model.quantize(latents.detach())", "kind": "detach",
       "names": ["model.encoder.*", "model.quant_conv.*"]}
