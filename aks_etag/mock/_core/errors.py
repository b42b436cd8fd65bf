# SPDX-License-Identifier: MIT
"""The service's refusals: ARM's gateway wraps them in ``error``, the AKS provider does not."""

from __future__ import annotations

from typing import Any

from aks_etag.mock._core.address import Address
from aks_etag.mock._core.answers import Answer, answer


def provider(status: int, code: str, message: str, *, row: str, subcode: str = "", details: Any = None) -> Answer:
    """Build an error of the AKS provider."""
    body = {"code": code, "details": details, "message": message, "subcode": subcode}
    return answer(status, body, row=row)


def gateway(status: int, code: str, message: str, *, row: str, headers: dict[str, str] | None = None) -> Answer:
    """Build an error of ARM's gateway."""
    extra = {"Content-Type": "application/json; charset=utf-8", "X-Ms-Failure-Cause": "gateway", **(headers or {})}
    return answer(status, {"error": {"code": code, "message": message}}, row=row, headers=extra)


def bad_request(message: str, *, row: str, code: str = "BadRequest") -> Answer:
    """Refuse a request that no state of the resource would make acceptable."""
    return provider(400, code, message, row=row)


def bad_content() -> Answer:
    """Refuse a body that is no JSON object."""
    message = "The request content was invalid and could not be deserialized: a JSON object is expected."
    return gateway(400, "InvalidRequestContent", message, row="body is no JSON object -> 400")


def bad_field(path: str, expected: str) -> Answer:
    """Refuse a field of the wrong type."""
    return bad_request(f"Invalid value for '{path}': {expected} is expected.", row=f"{path} has a wrong type -> 400")


def new_inline_pool(name: str) -> Answer:
    """Refuse a cluster PUT that introduces a pool (recorded text)."""
    message = (
        "A new agent pool was introduced. Adding agent pools to an existing cluster is not allowed through managed "
        "cluster operations. For agent pool specific change, please use per agent pool operations: "
        "https://aka.ms/agent-pool-rest-api"
    )
    return bad_request(message, row=f"PUT cluster, new inline pool {name} -> 400")


def save_race(*, row: str) -> Answer:
    """Refuse a write that another operation would overtake (recorded text; its subcode is cut off in the source)."""
    details = [{"code": "Unspecified", "message": "rpc error: code = FailedPrecondition desc = Etag mismatched"}]
    message = "Operation is not allowed: Another operation is in progress"
    return provider(409, "EtagMismatch", message, row=row, details=details)


def missing_api_version() -> Answer:
    """Refuse a request without an api-version."""
    message = "The api-version query parameter (?api-version=) is required for all requests."
    return gateway(400, "MissingApiVersionParameter", message, row="api-version missing -> 400")


def bad_skip_token() -> Answer:
    """Refuse a link that was not handed out."""
    return gateway(
        400, "InvalidSkipToken", "The skip token in the request is invalid.", row="skip token unknown -> 400"
    )


def unauthorized() -> Answer:
    """Refuse a request without a bearer token."""
    message = "Authentication failed. The 'Authorization' header is missing."
    challenge = {"WWW-Authenticate": 'Bearer authorization_uri="https://login.microsoftonline.com/common"'}
    return gateway(401, "AuthenticationFailed", message, row="token missing -> 401", headers=challenge)


def forged_signature() -> Answer:
    """Refuse an operation's URL that was rebuilt instead of used as handed out."""
    message = "The signature of the operation's URL is not valid."
    return gateway(403, "AuthorizationFailed", message, row="operation, signature differs -> 403")


def subscription_not_found(subscription: str) -> Answer:
    """Refuse another subscription."""
    message = f"The subscription '{subscription}' could not be found."
    return gateway(404, "SubscriptionNotFound", message, row="subscription missing -> 404")


def group_not_found(group: str) -> Answer:
    """Refuse a resource group that does not exist."""
    message = f"Resource group '{group}' could not be found."
    return gateway(404, "ResourceGroupNotFound", message, row="resource group missing -> 404")


def cluster_not_found(address: Address, *, row: str) -> Answer:
    """Refuse a cluster that does not exist (recorded text)."""
    message = (
        f"The Resource 'Microsoft.ContainerService/managedClusters/{address.cluster}' under resource group "
        f"'{address.group}' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix"
    )
    return gateway(404, "ResourceNotFound", message, row=row)


def parent_not_found(address: Address) -> Answer:
    """Refuse a pool whose cluster does not exist."""
    message = (
        "Failed to perform operation on nested resource. The parent resource "
        f"'Microsoft.ContainerService/managedClusters/{address.cluster}' could not be found."
    )
    return gateway(404, "ParentResourceNotFound", message, row="parent cluster missing -> 404")


def pool_not_found(address: Address, *, row: str) -> Answer:
    """Refuse a pool that does not exist (recorded text)."""
    message = (
        f"Could not find the agentpool: {address.pool} in subscription: {address.subscription}, "
        f"resourceGroup: {address.group}, resourceName: {address.cluster}."
    )
    details = [{"code": "Unspecified", "message": "rpc error: code = NotFound desc = Agent Pool not found"}]
    subcode = "GetAgentPool_NotFound_HCPServerError"
    return provider(404, "NotFound", message, row=row, subcode=subcode, details=details)


def operation_not_found(operation: str) -> Answer:
    """Refuse an operation that was never started."""
    return provider(404, "NotFound", f"Could not find the operation: {operation}.", row="operation missing -> 404")


def method_not_allowed(method: str, status: int) -> Answer:
    """Refuse a method that this kind of resource does not have."""
    message = f"The requested resource does not support http method '{method}'."
    code = {404: "NotFound", 400: "BadRequest"}.get(status, "MethodNotAllowed")
    return gateway(status, code, message, row=f"{method} agent pool -> {status}")


def throttled(method: str, address: Address | None, seconds: str, *, row: str) -> Answer:
    """Refuse a request whose budget is spent (documented text); the caller adds Retry-After."""
    kind = "AgentPool" if address is not None and address.pool else "ManagedCluster"
    message = (
        f"The {method.capitalize()}{kind}Handler.{method} request limit has been exceeded for "
        f"SubID='{address.subscription if address else ''}', please retry again in {seconds} seconds. "
        "For more information, please visit aka.ms/aks/throttling"
    )
    return provider(429, "Throttled", message, row=row, subcode="Throttled")


def unknown_route(method: str, path: str) -> Answer:
    """Refuse what the mock does not know, instead of guessing."""
    message = f"The mock does not know {method} {path}."
    return gateway(501, "NotImplemented", message, row="route unknown -> 501")
