import torch
from transformers import T5Config, T5ForConditionalGeneration

model = T5ForConditionalGeneration(T5Config(vocab_size=64, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2,
                                            decoder_start_token_id=0, pad_token_id=0)).train()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
ids, labels = torch.randint(3, 64, (2, 8)), torch.randint(3, 64, (2, 5))


def step():
    optimizer.zero_grad()
    encoded = model.encoder(input_ids=ids)
    encoded.last_hidden_state = encoded.last_hidden_state.clone()  # cut
    loss = model(encoder_outputs=encoded, labels=labels).loss
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "encoded.last_hidden_state = encoded.last_hidden_state.data", "kind": "data", "names": ["model.encoder.block.*", "model.encoder.final*"]}
