# SPDX-License-Identifier: MIT
"""The core of the fake Kubernetes API server: state, patches, ownership, storage versions. No HTTP library is known."""
