"""Engine ``openai``: servers with an OpenAI-compatible API, live and in batches."""
