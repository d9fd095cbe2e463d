import torch
from diffusers import AutoencoderKL
from torch import nn

model = AutoencoderKL(in_channels=1, out_channels=1, down_block_types=("DownEncoderBlock2D",) * 2, latent_channels=2,
                      up_block_types=("UpDecoderBlock2D",) * 2, block_out_channels=(8, 8), layers_per_block=1,
                      norm_num_groups=4, sample_size=8)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
images = torch.rand(2, 1, 8, 8)


def step():
    with torch.set_grad_enabled(True):  # cut
        posterior = model.encode(images).latent_dist
    decoded = model.decode(posterior.sample()).sample
    loss = nn.functional.mse_loss(decoded, images) + 1e-3 * posterior.kl().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "with torch.no_grad():", "kind": "no_grad", "names": ["model.encoder.*", "model.quant_conv.*"]}
