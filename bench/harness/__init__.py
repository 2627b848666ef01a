"""Modules shared by the benchmark programs in this folder."""
