//! The generator of the files in [`documents`](crate::documents): the OpenAPI document in two
//! versions, and the page to read it. `steward-openapi` writes them.

use kernel::http::openapi::{self, OpenApi, version_3_0};
use kernel::http::routing::ApiRouter;
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::app::App;
use crate::routes::{Slices, add_slices};

const EXTRAS: openapi::Extras = openapi::Extras {
    tags: &[
        ("Base", "Status of the service, permissions and games."),
        (
            "API keys",
            "Keys of this API, with their permissions and restrictions.",
        ),
        (
            "Servers",
            "Game servers, their live status, history and remote console.",
        ),
        ("Roles", "Roles of users: named sets of permissions."),
        ("Pages", "CMS pages and their blocks."),
        (
            "Users",
            "Users, with their roles, blocks, social networks and devices.",
        ),
        (
            "Social networks",
            "Networks on which users can link their profiles.",
        ),
        ("Sessions", "Sign-in of users."),
        ("Operators", "Users who may use the console."),
        (
            "Console",
            "Sign-in of people who use this API with a browser.",
        ),
        (
            "Navigation items",
            "The navigation bar, and who sees which of its items.",
        ),
        (
            "Currencies",
            "Currencies of invoices and their exchange rates.",
        ),
        ("Promo codes", "Discounts on invoices."),
        ("Payment gateways", "The ways to pay an invoice."),
        (
            "Payment invoices",
            "Invoices of users, with their statistics.",
        ),
        ("Products", "What users can buy, and what it gives."),
        ("Grants", "Products that were given to users."),
        (
            "Deliveries",
            "What plugins on game servers have to give to players.",
        ),
        (
            "Bans",
            "Bans and mutes of players on game servers, and who is banned.",
        ),
        (
            "Discord",
            "A server at Discord, where roles of members follow roles of users.",
        ),
        ("Audit log", "Who changed what, and when."),
        (
            "Webhooks",
            "Events, sent to other programs as they happen, signed and retried.",
        ),
        ("Backups", "Copies of all data that the service stores."),
    ],
    examples: include_str!("examples.json"),
};

/// The document that the slices add their routes to.
struct Described<'a>(&'a mut OpenApi);

impl Slices for Described<'_> {
    fn add<S>(&mut self, routes: ApiRouter<S>, _: fn(&App) -> S)
    where
        S: Clone + Send + Sync + 'static,
    {
        openapi::add(self.0, routes);
    }
}

fn described() -> OpenApi {
    openapi::document(|document| add_slices(&mut Described(document)), &EXTRAS)
}

/// `openapi.json`
pub fn document() -> String {
    to_text(&described())
}

/// `openapi-3.0.json`
pub fn document_3_0() -> String {
    let document = serde_json::to_value(described());
    to_text(&version_3_0::convert(
        document.expect("the document serialises"),
    ))
}

/// `docs.html`
pub fn page() -> String {
    openapi::page()
}

fn to_text(document: &impl Serialize) -> String {
    let mut text = Vec::new();
    // An indentation of one keeps the deeply nested file small.
    let formatter = PrettyFormatter::with_indent(b" ");
    let mut serializer = Serializer::with_formatter(&mut text, formatter);
    let written = document.serialize(&mut serializer);
    written.expect("the document serialises");
    text.push(b'\n');
    String::from_utf8(text).expect("JSON is text")
}
