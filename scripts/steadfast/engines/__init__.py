"""The inference stage: prompts that fit, engines that answer, a journal that forgets nothing."""
