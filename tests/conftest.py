"""What all tests share: one thread for torch, as the app has it."""

import torch

torch.set_num_threads(1)
