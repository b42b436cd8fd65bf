# SPDX-License-Identifier: MIT
"""How requests leave: the azure-core pipeline, with httpx under it."""
