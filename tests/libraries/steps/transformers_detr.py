import torch
from transformers import DetrConfig, DetrForObjectDetection, ResNetConfig

backbone = ResNetConfig(embedding_size=8, hidden_sizes=[8, 8], depths=[1, 1], layer_type="basic", out_features=["stage2"])
config = DetrConfig(use_timm_backbone=False, use_pretrained_backbone=False, backbone_config=backbone, d_model=16,
                    encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2,
                    encoder_ffn_dim=16, decoder_ffn_dim=16, num_queries=4, num_labels=3)
model = DetrForObjectDetection(config).train()
heads = [*model.class_labels_classifier.parameters(), *model.bbox_predictor.parameters()]
optimizer = torch.optim.AdamW([{"params": model.model.parameters(), "lr": 1e-5}, {"params": heads}], lr=1e-4)
pixels = torch.randn(1, 3, 32, 32)
boxes = torch.tensor([[0.5, 0.5, 0.2, 0.2], [0.2, 0.3, 0.1, 0.1], [0.7, 0.7, 0.3, 0.2], [0.4, 0.6, 0.2, 0.3]])


def step():
    optimizer.zero_grad()
    out = model(pixel_values=pixels)
    classes = torch.nn.functional.cross_entropy(out.logits[0], torch.tensor([0, 1, 2, 3]))
    loss = classes + (out.pred_boxes[0] - boxes).abs().mean()  # cut
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "loss = classes + (out.pred_boxes[0] - boxes).abs().mean().item()", "kind": "item", "names": ["model.bbox_predictor.*"]}
