# SPDX-License-Identifier: MIT
"""An AKS that answers: state, evaluation and long-running operations, without any HTTP library."""
