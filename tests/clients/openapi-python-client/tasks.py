"""The task list of ../README.md, with openapi-python-client."""

import os
import re
from datetime import datetime, timezone
from typing import TypeVar

from steward_client import AuthenticatedClient
from steward_client.api.api_keys import create_api_key, list_api_keys, set_api_key_permissions
from steward_client.api.base import list_permissions
from steward_client.api.currencies import create_currency, delete_currency
from steward_client.api.navigation_items import (
    create_navbar_item,
    delete_navbar_item,
    get_navbar_item,
    remove_navbar_item_roles,
)
from steward_client.api.pages import add_page_block, create_page, list_page_blocks
from steward_client.api.payment_invoices import (
    create_payment_invoice,
    delete_payment_invoice,
    export_payment_invoices,
    get_payment_invoice,
    set_payment_invoice_status,
)
from steward_client.api.roles import create_role, get_role, update_role
from steward_client.api.users import (
    block_user,
    create_user,
    get_user,
    list_user_blocks,
    list_users,
    unblock_user,
)
from steward_client.models import (
    ApiError,
    ApiKeyPermissions,
    ExportPaymentInvoicesFormat,
    ExportPaymentInvoicesSort,
    InvoiceStatusChange,
    NavbarItemRoles,
    NewApiKey,
    NewCurrency,
    NewInvoice,
    NewNavbarItem,
    NewPage,
    NewPageBlock,
    NewRole,
    NewUser,
    RoleChanges,
    UserBlockTerms,
)
from steward_client.types import UNSET, Response, Unset

T = TypeVar("T")


def client_with(key: str) -> AuthenticatedClient:
    return AuthenticatedClient(
        base_url=os.environ["STEWARD_URL"], token=key, prefix="", auth_header_name="X-API-Key"
    )


def ok(reply: Response[ApiError | T]) -> T:
    assert reply.parsed is not None and not isinstance(reply.parsed, ApiError), reply
    return reply.parsed


def refused(reply: Response[ApiError | T], status: int, code: str) -> ApiError:
    assert reply.status_code == status, reply
    assert isinstance(reply.parsed, ApiError)
    assert reply.parsed.code == code, reply
    return reply.parsed


# A key
admin = client_with(os.environ["STEWARD_KEY"])
wanted = {"roles", "pages", "users", "navigation", "currencies", "payments"}
permission_ids = [
    permission.id
    for permission in ok(list_permissions.sync_detailed(client=admin)).permissions
    if permission.name.removeprefix("admin.") in wanted
]
bot = ok(create_api_key.sync_detailed(client=admin, body=NewApiKey(name="bot"))).api_key
ok(
    set_api_key_permissions.sync_detailed(
        bot.id, client=admin, body=ApiKeyPermissions(permission_ids=permission_ids)
    )
)
api = client_with(bot.key)
refused(list_api_keys.sync_detailed(client=api), 403, "missing_permission")

# Roles, and 412
member = ok(create_role.sync_detailed(client=api, body=NewRole(name="Member"))).role
guard = ok(
    create_role.sync_detailed(
        client=api, body=NewRole(name="Guard", description="Keeps the peace")
    )
).role
read = get_role.sync_detailed(guard.id, client=api)
assert ok(read).role.permissions == []
tag = read.headers["ETag"]
rename = RoleChanges(name="Moderator")
ok(update_role.sync_detailed(guard.id, client=api, body=rename, if_match=tag))
refused(
    update_role.sync_detailed(guard.id, client=api, body=rename, if_match=tag),
    412,
    "precondition_failed",
)

# Users, and 422
for name in ("anna", "ben", "carla", "dora", "emil"):
    new_user = NewUser(
        username=name,
        email=f"{name}@example.com",
        password="correct horse",
        role_ids=[member.id],
    )
    assert ok(create_user.sync_detailed(client=api, body=new_user)).user.status == "active"
taken = refused(
    create_user.sync_detailed(
        client=api,
        body=NewUser(username="ANNA", email="anna@example.com", password="correct horse"),
    ),
    422,
    "validation_failed",
)
assert not isinstance(taken.errors, Unset)
assert set(taken.errors.additional_properties) == {"email", "username"}

# A block
until = datetime(2099, 1, 1, tzinfo=timezone.utc)
terms = UserBlockTerms(reason="Cooling off", until=until)
ok(block_user.sync_detailed(1, client=api, body=terms))
[block] = ok(list_user_blocks.sync_detailed(1, client=api)).blocks
assert block.until == until and block.lifted_at is None
ok(unblock_user.sync_detailed(1, client=api))
anna = ok(get_user.sync_detailed(1, client=api)).user
assert anna.status == "active" and [role.name for role in anna.roles] == ["Member"]
assert anna.created_at.tzinfo is not None

# A page with blocks
page = ok(
    create_page.sync_detailed(
        client=api,
        body=NewPage(title="Welcome", slug="welcome", content="<h1>Welcome</h1>"),
    )
).page
image = {"url": "/banner.png", "alt": "Our banner", "width": 960, "height": 240}
text_block = NewPageBlock(type_="text", content="<p>Hello</p>")
ok(add_page_block.sync_detailed(page.id, client=api, body=text_block))
image_block = NewPageBlock(type_="image", content=image)
ok(add_page_block.sync_detailed(page.id, client=api, body=image_block))
blocks = ok(list_page_blocks.sync_detailed(page.id, client=api)).blocks
assert [block.content for block in blocks] == ["<p>Hello</p>", image]

# A menu, and DELETE with a body
community = ok(
    create_navbar_item.sync_detailed(
        client=api,
        body=NewNavbarItem(title="Community", position=1, roles=[member.id, guard.id]),
    )
).navbar_item
ok(
    create_navbar_item.sync_detailed(
        client=api, body=NewNavbarItem(title="Rules", url="/rules", parent_id=community.id)
    )
)
ok(
    remove_navbar_item_roles.sync_detailed(
        community.id, client=api, body=NavbarItemRoles(roles=[guard.id])
    )
)
menu = ok(get_navbar_item.sync_detailed(community.id, client=api)).navbar_item
assert [role.name for role in menu.roles] == ["Member"]
assert [child.title for child in menu.children] == ["Rules"]
refused(delete_navbar_item.sync_detailed(community.id, client=api), 422, "has_children")

# Invoices, and a payment that is reported twice
currency = ok(
    create_currency.sync_detailed(
        client=api, body=NewCurrency(code="EUR", minimum_value=1, exchange_rate=1)
    )
).currency
for amount in (19.99, 5, 7.07):
    invoice = ok(
        create_payment_invoice.sync_detailed(
            client=api,
            body=NewInvoice(
                user_id=anna.id, gateway="card", amount=amount, currency_id=currency.id
            ),
        )
    ).payment_invoice
    assert invoice.amount == amount and invoice.paid_at is None
first, second = (
    set_payment_invoice_status.sync_detailed(
        1,
        client=api,
        body=InvoiceStatusChange(is_paid=True, transaction_id="T-1001"),
        idempotency_key="callback-T-1001",
    )
    for _ in range(2)
)
assert "Idempotent-Replayed" not in first.headers
assert second.headers["Idempotent-Replayed"] == "true"
assert ok(second) == ok(first)
assert isinstance(ok(first).payment_invoice.paid_at, datetime)

# A list, by cursor
names: list[str] = []
after: str | Unset = UNSET
while True:
    page_of_users = list_users.sync_detailed(client=api, per_page=2, after=after)
    assert page_of_users.headers["X-Total-Count"] == "5"
    names += [user.username for user in ok(page_of_users).users]
    found = re.search(r'[?&]after=([^&>]*)[^>]*>; rel="next"', page_of_users.headers["Link"])
    if found is None:
        break
    after = found[1]
assert names == ["anna", "ben", "carla", "dora", "emil"], names

# 409, DELETE, 404
refused(delete_currency.sync_detailed(currency.id, client=api), 409, "currency_in_use")
ok(delete_payment_invoice.sync_detailed(3, client=api))
refused(get_payment_invoice.sync_detailed(3, client=api), 404, "not_found")

# An export
csv = ok(
    export_payment_invoices.sync_detailed(
        client=api,
        format_=ExportPaymentInvoicesFormat.CSV,
        sort=ExportPaymentInvoicesSort.ID,
    )
)
head, *rows = csv.splitlines()
assert head.startswith("id,user_id,gateway,")
assert [row.split(",")[4] for row in rows] == ["19.99", "5"]
