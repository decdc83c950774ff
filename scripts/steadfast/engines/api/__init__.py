"""The engines of models behind an API: OpenAI, Claude, Gemini, and their shared code."""
