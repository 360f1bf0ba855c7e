"""Helpers that several baselines share: they are not baselines themselves."""
