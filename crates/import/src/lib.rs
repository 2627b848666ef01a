//! Takes over a community of Flute CMS from a dump of its database, into an empty database.
//!
//! The dump is untrusted text, which the crate `dump` reads and which nothing executes. All of it is
//! one transaction: [`run`] returns its change, or an error after which nothing is written. Rules of
//! fields are those of the slices, through whose functions all rows are written; SQL is in their
//! stores.

mod access;
mod context;
mod decimal;
mod devices;
mod invoices;
mod links;
mod menu;
mod pages;
mod parts;
mod pass;
mod promo_codes;
mod record;
mod report;
mod scan;
mod servers;
mod shop;
mod small;
mod social_networks;
mod tables;
mod text;
mod unique;
mod users;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use accounts::users::imported;
use db::{AdvisoryLock, Progress};
use futures_util::future::LocalBoxFuture;
use kernel::write::{Change, Edit, Resource};
use kernel::{Error, Result};
use platform::backups;
use serde::Serialize;

use self::context::Context;
pub use self::context::Options;
use self::decimal::Decimal;
use self::devices::{Devices, OldDevices};
use self::invoices::{Compared, Invoices, LOSES_CENTS};
use self::links::{Identities, Links};
use self::pages::{Blocks as PageBlocks, Pages, Slugs};
use self::parts::{Blocks, UserRoles};
use self::pass::{Source, Stage};
use self::promo_codes::Usages;
use self::report::Output;
pub use self::report::{Counts, Note, Report, Tables};
use self::scan::Scan;
use self::shop::Gateways;
use self::users::Users;
use payments::currencies::Code;

/// The page cache of SQLite during an import, in KiB.
const CACHE: i64 = 32 << 10;
/// Tables of which a large community has many rows.
const LARGE: &[&str] = &[
    "payment_invoices",
    "user_blocks",
    "user_devices",
    "user_identities",
    "user_role_history",
    "user_roles",
    "user_social_links",
    "users",
];
/// Users with all permissions who are named.
const MOST_NAMED: i64 = 100;

/// The result of an import.
#[derive(Debug, Serialize)]
pub struct Summary {
    pub tables: Tables,
    /// Paid invoices of each currency, in the dump and here.
    pub paid_invoices: Vec<Compared>,
    pub balances: BalanceSum,
    /// Amounts of 10,000 and more from FLOAT columns, which have lost their cents in any dump.
    pub may_have_lost_cents: BTreeMap<String, u64>,
    /// Users who had the permission for everything. They are not operators.
    pub had_all_permissions: Vec<Named>,
    /// Tables with another prefix, which are not read.
    pub other_tables: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct Named {
    pub id: i64,
    pub username: String,
}

/// The money of users, which has no place here.
#[derive(Debug, Serialize)]
pub struct BalanceSum {
    /// Users with a balance other than 0.
    pub users: u64,
    pub sum: String,
}

impl Summary {
    /// Why the import stops after all, if it does.
    pub fn refusal(&self, options: &Options) -> Option<String> {
        let BalanceSum { users, sum } = &self.balances;
        (*users > 0 && !options.leaves_balances_out).then(|| {
            format!(
                "{users} users have a balance, in sum {sum}. It is money that they own, and there \
                 are no balances here. Pay it out or give something for it, then confirm with \
                 --balances left-out"
            )
        })
    }
}

/// The resource of the audit entry.
#[derive(Serialize)]
struct Import;

impl Resource for Import {
    const PLURAL: &'static str = "import";
    const SINGULAR: &'static str = "import";

    fn id(&self) -> i64 {
        0
    }
}

#[derive(Serialize)]
struct Nothing {}

#[derive(Serialize)]
struct Counted<'a> {
    tables: &'a Tables,
}

/// Writes the community of a dump into an empty database. `Err` is a sentence about the dump or the
/// options.
pub fn run<'a>(
    edit: &'a mut Edit,
    dump: &'a Path,
    options: &'a Options,
    report: &'a mut dyn Report,
    progress: &'a mut (dyn Progress + Send),
) -> LocalBoxFuture<'a, Result<(Summary, Change<()>)>> {
    Box::pin(async move {
        let prefix = options.prefix.to_lowercase();
        let source = Source {
            path: dump,
            prefix: &prefix,
        };
        let mut output = Output::new(&prefix, report);
        let summary = write_all(edit, &source, options, &mut output, progress).await?;
        let summary = Summary {
            tables: output.into_tables(),
            ..summary
        };
        let after = Counted {
            tables: &summary.tables,
        };
        let change = Change::of_many::<Import>("flute", &Nothing {}, &after, ());
        Ok((summary, change))
    })
}

/// Refuses a database that has rows of its own.
pub async fn require_empty(edit: &mut Edit) -> Result<()> {
    edit.lock_advisory(AdvisoryLock::Import).await?;
    let contents = backups::contents(edit).await?;
    if contents.is_empty() {
        return Ok(());
    }
    let contents = contents
        .iter()
        .map(|(table, rows)| format!("{table} ({rows})"));
    Err(Error::internal(format!(
        "the database is not empty: it has rows in {}; name an empty one, or a new one, with \
         --data-dir or --database-url",
        contents.collect::<Vec<_>>().join(", ")
    )))
}

async fn write_all(
    edit: &mut Edit,
    source: &Source<'_>,
    options: &Options,
    output: &mut Output<'_>,
    progress: &mut (dyn Progress + Send),
) -> Result<Summary> {
    edit.allow_long_statements().await?;
    edit.limit_load_cache(CACHE)?;
    let dropped = edit.drop_for_load(LARGE).await?;
    let mut scan = Scan::read(source, output, progress).await?;
    let bosses = access::write_roles(edit, &scan.small, output).await?;
    let mut context = context(edit, source, options, &scan, output).await?;
    let now = context.now;
    let mut gateways = Gateways::write(edit, now, &scan.small, output).await?;
    menu::write(edit, &scan.small, output).await?;
    servers::write(edit, &context, &scan.small, output).await?;
    access::write_keys(edit, &context, &scan.small, output).await?;
    context.promo_codes = promo_codes::write(edit, &context, &scan.small, output).await?;
    // So that ids of gateways that invoices add come after those of the dump.
    db::copy::follow_highest_ids(edit).await?;

    let slugs = Slugs::of(&scan.small);
    let mut users = Users::new(now, options);
    let mut pages = Pages::new(now, &slugs);
    let mut stages: [&mut dyn Stage; 2] = [&mut users, &mut pages];
    let pass = "bytes, pass 2 of 4";
    source
        .read(pass, &mut stages, edit, output, progress)
        .await?;

    let orders = pages::orders(&mut scan.small.blocks);
    let is_float = scan.is_float(invoices::TABLE, "original_amount");
    let mut user_roles = UserRoles {
        now,
        roles: &context.roles,
        batch: Vec::new(),
    };
    let mut blocks = Blocks::new(now);
    let mut devices = Devices::new(now);
    let mut identities = Identities::new(now, &context.networks);
    let mut page_blocks = PageBlocks::new(&orders);
    let mut invoices = Invoices::new(&context, &mut gateways, is_float);
    let mut stages: [&mut dyn Stage; 6] = [
        &mut user_roles,
        &mut blocks,
        &mut devices,
        &mut identities,
        &mut page_blocks,
        &mut invoices,
    ];
    let pass = "bytes, pass 3 of 4";
    source
        .read(pass, &mut stages, edit, output, progress)
        .await?;
    let (paid, lost_cents) = (std::mem::take(&mut invoices.paid), invoices.lost_cents);
    invoices.uncounted.store(edit).await?;

    let mut links = Links::new(&context.networks);
    let mut usages = Usages::default();
    let mut old_devices = OldDevices::default();
    let mut stages: Vec<&mut dyn Stage> = vec![&mut links, &mut usages];
    if devices::drop_old(edit, output).await? {
        stages.push(&mut old_devices);
    }
    let pass = "bytes, pass 4 of 4";
    source
        .read(pass, &mut stages, edit, output, progress)
        .await?;

    progress.begin("indexes and totals", 1);
    edit.restore_dropped(dropped).await?;
    db::copy::follow_highest_ids(edit).await?;
    backups::compare_derived(edit).await?;
    let had_all_permissions = imported::names_in(edit, &bosses, MOST_NAMED).await?;
    let paid_invoices = invoices::compare(edit, paid).await?;
    progress.advance(1);
    let lost_cents = [
        (invoices::TABLE, lost_cents),
        ("promo_codes", lost_in_codes(&scan)),
    ];
    let lost_cents = lost_cents.into_iter().filter(|(_, count)| *count > 0);
    Ok(Summary {
        tables: Tables::new(),
        paid_invoices,
        balances: BalanceSum {
            users: scan.balances.users,
            sum: scan.balances.sum.to_string(),
        },
        may_have_lost_cents: lost_cents
            .map(|(table, count)| (format!("{}{table}", source.prefix), count))
            .collect(),
        had_all_permissions: had_all_permissions
            .into_iter()
            .map(|(id, username)| Named { id, username })
            .collect(),
        other_tables: scan.others,
    })
}

/// The ids that other rows refer to, once their rows are written.
async fn context(
    edit: &mut Edit,
    source: &Source<'_>,
    options: &Options,
    scan: &Scan,
    output: &mut Output<'_>,
) -> Result<Context> {
    let small = &scan.small;
    let networks = social_networks::write(edit, small, output).await?;
    let currencies = shop::write_currencies(edit, source.prefix, small, output).await?;
    let fallback = match &options.currency {
        Some(code) => Some(currency_named(&currencies, code)?),
        None => None,
    };
    let roles = small.roles.iter();
    Ok(Context {
        now: edit.core().expiry_now(),
        options: options.clone(),
        roles: roles
            .map(|(kept, role)| (kept.id, role.name.clone()))
            .collect(),
        networks,
        currencies,
        fallback,
        promo_codes: HashSet::new(),
    })
}

fn currency_named(currencies: &HashMap<i64, Code>, code: &str) -> Result<(i64, Code)> {
    let mut found = currencies.iter();
    let found = found.find(|(_, known)| known.as_str().eq_ignore_ascii_case(code));
    let found = found.map(|(id, known)| (*id, known.clone()));
    found.ok_or_else(|| {
        Error::internal(format!(
            "--currency names {code}, which the dump does not have"
        ))
    })
}

/// Promo codes with an amount that may have lost its cents.
fn lost_in_codes(scan: &Scan) -> u64 {
    let is_large = |text: &str| {
        let amount = Decimal::parse(text).and_then(|number| number.money(2));
        amount.is_some_and(|(amount, _)| amount >= LOSES_CENTS)
    };
    let is_float = |column| scan.is_float("promo_codes", column);
    let (value, minimum) = (is_float("value"), is_float("minimum_amount"));
    let codes = scan.small.promo_codes.iter().filter(|(_, code)| {
        let has_minimum = code.minimum_amount.as_deref().is_some_and(is_large);
        (value && is_large(&code.value)) || (minimum && has_minimum)
    });
    codes.count() as u64
}
