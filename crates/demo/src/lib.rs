//! Fills an empty database with realistic data, for demonstrations and benchmarks.
//!
//! Everything is drawn from one seed: the same [`Plan`] fills a new database with the same data.
//! Small resources are created through the functions of their slices; users and invoices are loaded
//! in batches. All of it is one transaction, so that an interrupted run leaves nothing.

mod bans;
mod catalogue;
mod consoles;
mod discord;
mod event_times;
pub mod games;
mod grants;
mod history;
mod input;
mod menu;
mod names;
mod pages;
mod people;
mod plan;
mod population;
mod purchases;
mod rng;
mod roles;
mod servers;
mod shop;
mod words;

use db::{Conn, Progress};
use serde::Serialize;

use self::input::input;
use self::people::People;
use self::plan::COMMUNITY_DAYS;
pub use self::plan::Plan;
use self::purchases::Purchases;
use accounts::passwords::Passwords;
use accounts::users;
use content::navigation;
use kernel::Result;
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Resource};
use payments::{currencies, gateways, invoices, products, promo_codes};

/// The password of all users. It is public.
pub const PASSWORD: &str = "steward-demo";

/// The resource of the audit entry.
#[derive(Serialize)]
struct Demo;

impl Resource for Demo {
    const PLURAL: &'static str = "demo";
    const SINGULAR: &'static str = "demo";

    fn id(&self) -> i64 {
        0
    }
}

/// Counts the resources in the database; empty for an empty database. API keys are not counted,
/// because the first start creates one.
pub async fn contents(conn: &mut Conn, now: Timestamp) -> Result<Vec<(i64, &'static str)>> {
    let everyone: users::UserFilters = input(&Nothing {})?;
    let every_invoice: invoices::InvoiceFilters = input(&Nothing {})?;
    let every_code: promo_codes::PromoCodePage = input(&Nothing {})?;
    let every_product: products::ProductPage = input(&Nothing {})?;
    let every_ban: moderation::bans::BanFilters = input(&Nothing {})?;
    let banned = moderation::bans::count(conn, &every_ban, now).await?;
    let counts = [
        (users::count(conn, now, &everyone).await?, "users"),
        (accounts::roles::count(conn).await?, "roles"),
        (game_servers::servers::count(conn).await?, "servers"),
        (content::pages::count(conn).await?, "pages"),
        (navigation::count(conn).await?, "navigation items"),
        (currencies::count(conn).await?, "currencies"),
        (gateways::count(conn).await?, "payment gateways"),
        (promo_codes::count(conn, &every_code).await?, "promo codes"),
        (products::count(conn, &every_product).await?, "products"),
        (invoices::count(conn, &every_invoice).await?, "invoices"),
        (banned.number(), "bans"),
    ];
    let existing = counts.into_iter().filter(|(count, _)| *count > 0);
    Ok(existing.collect())
}

#[derive(Serialize)]
struct Nothing {}

/// Fills a database whose [`contents`] are empty.
pub async fn fill(
    edit: &mut Edit,
    passwords: &Passwords,
    plan: &Plan,
    progress: &mut impl Progress,
) -> Result<Change<()>> {
    let now = edit.now();
    edit.set_now(plan.days_before_end(COMMUNITY_DAYS));
    let roles = roles::make(edit, plan, progress).await?;
    let server_ids = servers::make(edit, plan, progress).await?;
    history::make(edit, plan, now, &server_ids, progress).await?;
    pages::make(edit, plan, progress).await?;
    menu::make(edit, plan, &roles, progress).await?;
    let server = server_ids.first().copied();
    let shop = shop::open(edit, plan, roles.supporter(), server, progress).await?;
    let gifts = shop.gifts;

    progress.begin("users", plan.users.into());
    let first_user = users::first_id(edit, plan.users.into()).await?;
    let hash = passwords.hash_of_public(PASSWORD).await?;
    let role_ids = roles.ids();
    let mut people = People::new(plan, roles, hash, first_user);
    let mut known = bans::Known::default();
    let mut profiles = discord::Profiles::default();
    while let Some(members) = people.next_batch() {
        users::load(edit, &members).await?;
        known.meet(&members);
        profiles.meet(&members);
        progress.advance(members.len() as u64);
    }
    bans::make(edit, plan, &server_ids, &known, progress).await?;
    discord::make(edit, &role_ids, profiles, progress).await?;

    progress.begin("invoices", plan.invoices.into());
    let first = invoices::first_id(edit, plan.invoices.into()).await?;
    let mut purchases = Purchases::new(plan, shop, people.into_buyers(), first);
    let mut uncounted = invoices::Uncounted::default();
    while let Some(batch) = purchases.next_batch() {
        invoices::load(edit, &batch, &mut uncounted).await?;
        progress.advance(batch.len() as u64);
    }
    uncounted.store(edit).await?;
    if let Some(gifts) = gifts {
        grants::make(edit, plan, gifts, first_user, progress).await?;
    }
    edit.set_now(now);
    Ok(Change::of_many::<Demo>("fill", &Nothing {}, plan, ()))
}
