"""Engine ``vllm``: the model in the job itself."""
