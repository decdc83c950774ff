"""The simulator's device."""

from types import SimpleNamespace

current_platform = SimpleNamespace(get_device_name=lambda: "fake", device_type="fake")
