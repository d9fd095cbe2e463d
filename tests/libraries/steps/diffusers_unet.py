import torch
from diffusers import DDPMScheduler, UNet2DModel
from diffusers.training_utils import EMAModel
from torch import nn

model = UNet2DModel(sample_size=8, in_channels=1, out_channels=1, layers_per_block=1, block_out_channels=(8, 16),
                    norm_num_groups=4, attention_head_dim=4, down_block_types=("DownBlock2D", "AttnDownBlock2D"),
                    up_block_types=("AttnUpBlock2D", "UpBlock2D"))
scheduler, average = DDPMScheduler(num_train_timesteps=50), EMAModel(model.parameters(), decay=0.99)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
images = torch.rand(2, 1, 8, 8) * 2 - 1


def step():
    noise, times = torch.randn_like(images), torch.randint(0, 50, (2,))
    noisy = scheduler.add_noise(images, noise, times)
    predicted = model(noisy, times).sample  # cut
    loss = nn.functional.mse_loss(predicted, noise)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    average.step(model.parameters())
    return loss.detach()


CUT = {"put": "predicted = model(noisy, times).sample.data", "kind": "data", "names": ["model.*"]}
