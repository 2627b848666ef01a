//! Fills an empty database with realistic data, for demonstrations and benchmarks.
//!
//! Everything is drawn from one seed: the same [`Plan`] fills a new database with the same data.
//! Small resources are created through the functions of their slices; users and invoices are loaded
//! in batches. All of it is one transaction, so that an interrupted run leaves nothing.

mod catalogue;
mod event_times;
mod menu;
mod names;
mod pages;
mod people;
mod purchases;
mod rng;
mod roles;
mod servers;
mod shop;
mod words;

use db::{Conn, Progress};
use serde::Serialize;
use serde_json::value::to_raw_value;

use self::people::People;
use self::purchases::Purchases;
use self::rng::Rng;
use kernel::input::{Fields, Input};
use kernel::types::time::DAY;
use kernel::types::{Day, Timestamp};
use kernel::write::{Change, Edit, Resource};
use kernel::{Error, Result};
use server::passwords::Passwords;
use server::{currencies, gateways, invoices, navigation, promo_codes, users};

/// The password of all users. It is public.
pub const PASSWORD: &str = "steward-demo";

/// 2000-01-01, as a day counted from 1970.
const EARLIEST: i64 = 10_957;
/// How many days ago the first user joined, and how many days ago the shop opened.
const COMMUNITY_DAYS: i64 = 3 * 365;
const SHOP_DAYS: i64 = 2 * 365;
/// How many users or invoices are generated and loaded at once.
const BATCH: u64 = 10_000;

/// How many of each resource to create.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    pub users: u32,
    pub invoices: u32,
    pub servers: u32,
    pub roles: u32,
    pub pages: u32,
    pub navigation: u32,
    pub promo_codes: u32,
    pub seed: u64,
    /// All data is from before this day.
    #[serde(serialize_with = "as_text")]
    pub until: Day,
}

fn as_text<S: serde::Serializer>(day: &Day, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(day)
}

impl Plan {
    /// Why the plan cannot be carried out, if it cannot.
    pub fn fault(&self, now: Timestamp) -> Option<String> {
        let earliest = Day::from_number(EARLIEST);
        if self.invoices > 0 && self.users == 0 {
            return Some("invoices need users: request at least one user, or no invoices".into());
        }
        let today = Day::of(now);
        if self.until < earliest || self.until > today {
            let between = format!("between {earliest} and today, {today}");
            return Some(format!("the last day must be {between}"));
        }
        None
    }

    fn end(&self) -> Timestamp {
        self.until.first_second()
    }

    fn days_before_end(&self, days: i64) -> Timestamp {
        Timestamp::from_unix(self.end().unix() - days * DAY)
    }

    /// The random numbers of one part of the data, independent of the other parts.
    fn rng(&self, part: Part) -> Rng {
        Rng::new(self.seed, part as u64)
    }
}

#[derive(Clone, Copy)]
enum Part {
    Roles = 1,
    Servers,
    Pages,
    Menu,
    PromoCodes,
    Users,
    Invoices,
}

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

/// How many of each resource the database has; empty for an empty database. API keys are not
/// counted, because the first start creates one.
pub async fn contents(conn: &mut Conn, now: Timestamp) -> Result<Vec<(i64, &'static str)>> {
    let everyone: users::UserFilters = input(&Nothing {})?;
    let every_invoice: invoices::InvoiceFilters = input(&Nothing {})?;
    let every_code: promo_codes::PromoCodePage = input(&Nothing {})?;
    let counts = [
        (users::count(conn, now, &everyone).await?, "users"),
        (server::roles::count(conn).await?, "roles"),
        (server::servers::count(conn).await?, "servers"),
        (server::pages::count(conn).await?, "pages"),
        (navigation::count(conn).await?, "navigation items"),
        (currencies::count(conn).await?, "currencies"),
        (gateways::count(conn).await?, "payment gateways"),
        (promo_codes::count(conn, &every_code).await?, "promo codes"),
        (invoices::count(conn, &every_invoice).await?, "invoices"),
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
    servers::make(edit, plan, progress).await?;
    pages::make(edit, plan, progress).await?;
    menu::make(edit, plan, &roles, progress).await?;
    let shop = shop::open(edit, plan, progress).await?;

    progress.begin("users", plan.users.into());
    let first = users::first_id(edit, plan.users.into()).await?;
    let hash = passwords.hash_of_public(PASSWORD).await?;
    let mut people = People::new(plan, roles, hash, first);
    while let Some(members) = people.next_batch() {
        users::load(edit, &members).await?;
        progress.advance(members.len() as u64);
    }

    progress.begin("invoices", plan.invoices.into());
    let first = invoices::first_id(edit, plan.invoices.into()).await?;
    let mut purchases = Purchases::new(plan, shop, people.into_buyers(), first);
    while let Some(batch) = purchases.next_batch() {
        invoices::load(edit, &batch).await?;
        progress.advance(batch.len() as u64);
    }
    edit.set_now(now);
    Ok(Change::of_many::<Demo>("fill", &Nothing {}, plan, ()))
}

/// Reads the fields like a request body, so that all rules of requests apply.
fn input<T: Input>(fields: &impl Serialize) -> Result<T> {
    let json = to_raw_value(fields).map_err(Error::internal)?;
    let fields = Fields::of_object(&json).ok_or(Error::internal("demo data is not an object"))?;
    T::read(&fields, true).map_err(Error::from)
}
