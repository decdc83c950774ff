"""The engines of models behind an API: OpenAI, Claude, Gemini, and what they share."""
