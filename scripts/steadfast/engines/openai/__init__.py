"""Engine ``openai``: servers with an OpenAI-compatible API, and what all engines of APIs share."""
