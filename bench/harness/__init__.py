"""Shared by the benchmark programs in this folder."""
