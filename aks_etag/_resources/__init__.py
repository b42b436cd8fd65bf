# SPDX-License-Identifier: MIT
"""The kinds of things that can be read and written."""

from .arm import Arm, ArmResource
from .cluster import ManagedCluster
from .pool import AgentPool
from .protocol import Resource
from .tags import ClusterTags

__all__ = ["AgentPool", "Arm", "ArmResource", "ClusterTags", "ManagedCluster", "Resource"]
