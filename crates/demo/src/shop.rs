//! The resources that invoices refer to: currencies, payment gateways, products and promo codes.

use std::collections::HashSet;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::catalogue::{CURRENCIES, GATEWAYS, PRODUCTS, PROMO_WORDS};
use super::input::input;
use super::plan::{Part, Plan, SHOP_DAYS};
use super::rng::Rng;
use db::Progress;
use kernel::types::Timestamp;
use kernel::types::money::Money;
use kernel::types::time::DAY;
use kernel::write::Edit;
use kernel::{Error, Result};
use payments::currencies::{self, Currency};
use payments::gateways::{self, Gateway};
use payments::products;
use payments::promo_codes::{self, PromoCode};

/// The number of promo codes that a buyer tries.
const ATTEMPTS: usize = 4;

/// The currencies, gateways and promo codes of the shop.
#[derive(Debug)]
pub struct Shop {
    /// Currencies with the percentage of users who pay in each, and the column in the price list.
    pub currencies: Vec<(u64, (usize, Currency))>,
    /// Gateways with the percentage of invoices through each.
    pub gateways: Vec<(u64, Gateway)>,
    offers: Vec<Offer>,
    /// The products that are also given by hand: VIP and the starter kit.
    pub gifts: Option<[i64; 2]>,
}

/// A promo code and its uses so far.
#[derive(Debug)]
struct Offer {
    code: PromoCode,
    uses: i64,
    /// Filled only if each user may use the code once.
    users: HashSet<i64>,
}

impl Shop {
    /// Uses a promo code that applies to this purchase, if one is found.
    pub fn promo_code(
        &mut self,
        rng: &mut Rng,
        user_id: i64,
        amount: Money,
        now: Timestamp,
    ) -> Option<&PromoCode> {
        for _ in 0..ATTEMPTS {
            let index = rng.below(self.offers.len() as u64) as usize;
            let offer = self.offers.get_mut(index)?;
            if offer.try_use(user_id, amount, now) {
                return Some(&self.offers[index].code);
            }
        }
        None
    }
}

impl Offer {
    /// Uses the code for this purchase if it applies. Returns whether it does.
    fn try_use(&mut self, user_id: i64, amount: Money, now: Timestamp) -> bool {
        let Self { code, uses, users } = self;
        let in_time = code.starts_at.is_none_or(|start| start <= now)
            && code.expires_at.is_none_or(|end| now < end);
        let enough = code.minimum_amount.is_none_or(|least| amount >= least);
        let left = code.max_usages.is_none_or(|most| *uses < most);
        let may = in_time && enough && left;
        let uses_it = may && (code.max_uses_per_user.is_none() || users.insert(user_id));
        *uses += i64::from(uses_it);
        uses_it
    }
}

/// Opens the shop. Its products give the role `supporter`, and items on a server, if there are
/// both.
pub async fn open(
    edit: &mut Edit,
    plan: &Plan,
    supporter: Option<i64>,
    server: Option<i64>,
    progress: &mut impl Progress,
) -> Result<Shop> {
    edit.set_now(plan.days_before_end(SHOP_DAYS));
    let mut shop = Shop {
        currencies: Vec::new(),
        gateways: Vec::new(),
        offers: Vec::new(),
        gifts: None,
    };
    progress.begin("currencies", CURRENCIES.len() as u64);
    for (column, (share, (code, least, rate))) in CURRENCIES.iter().enumerate() {
        let new = json!({
            "code": code,
            "minimum_value": number(least)?,
            "exchange_rate": number(rate)?,
        });
        let currency = currencies::create(edit, input(&new)?).await?.into_part();
        shop.currencies.push((*share, (column, currency)));
        progress.advance(1);
    }
    progress.begin("payment gateways", GATEWAYS.len() as u64);
    for (share, (key, name)) in GATEWAYS {
        let new = json!({ "key": key, "name": name });
        let gateway = gateways::create(edit, input(&new)?).await?.into_part();
        shop.gateways.push((*share, gateway));
        progress.advance(1);
    }
    if let (Some(role_id), Some(server_id)) = (supporter, server) {
        shop.gifts = make_products(edit, &shop, role_id, server_id, progress).await?;
    }
    let mut rng = plan.rng(Part::PromoCodes);
    progress.begin("promo codes", plan.promo_codes.into());
    for number in 0..plan.promo_codes {
        let (start, new) = promo_code(plan, number, &mut rng);
        edit.set_now(start);
        let code = promo_codes::create(edit, input(&new)?).await?.into_part();
        shop.offers.push(Offer {
            code,
            uses: 0,
            users: HashSet::new(),
        });
        progress.advance(1);
    }
    Ok(shop)
}

/// Returns the first and the last product.
async fn make_products(
    edit: &mut Edit,
    shop: &Shop,
    role_id: i64,
    server_id: i64,
    progress: &mut impl Progress,
) -> Result<Option<[i64; 2]>> {
    let mut ids = Vec::new();
    progress.begin("products", PRODUCTS.len() as u64);
    for (name, description, days, hundredths) in PRODUCTS {
        let mut prices = Vec::new();
        for (_, (column, currency)) in &shop.currencies {
            let price = hundredths[*column];
            let amount = number(&format!("{}.{:02}", price / 100, price % 100))?;
            prices.push(json!({ "currency_id": currency.id, "amount": amount }));
        }
        let step = match days {
            Some(days) => json!({ "kind": "role", "role_id": role_id, "seconds": days * DAY }),
            None => json!({
                "kind": "plugin", "server_ids": [server_id], "payload": { "kit": "starter" },
            }),
        };
        let new = json!({
            "name": name, "description": description, "prices": prices, "steps": [step],
        });
        ids.push(products::create(edit, input(&new)?).await?.into_part().id);
        progress.advance(1);
    }
    Ok(ids.first().zip(ids.last()).map(|(vip, kit)| [*vip, *kit]))
}

/// A decimal number that keeps its exact digits.
fn number(text: &str) -> Result<Box<RawValue>> {
    RawValue::from_string(text.to_owned()).map_err(Error::internal)
}

/// A promo code and the time of its creation. The times are spread evenly, so that at any time some
/// codes apply.
fn promo_code(plan: &Plan, number: u32, rng: &mut Rng) -> (Timestamp, Value) {
    let end = plan.end().unix();
    let passed = i64::from(number) * SHOP_DAYS / i64::from(plan.promo_codes);
    let start = end - (SHOP_DAYS - passed) * DAY;
    let days = rng.between(30, 200);
    let expires = rng.chance(80).then(|| start + days * DAY);
    let over = expires.is_some_and(|expires| expires <= end);
    let is_share = rng.chance(75);
    let value = if is_share {
        *rng.pick(&[5, 10, 15, 20, 25, 30, 50])
    } else {
        rng.between(1, 5)
    };
    let word = *rng.pick(PROMO_WORDS);
    // The discount is at most half of the amount.
    let least = (!is_share).then_some(value * 2);
    let new = json!({
        "code": format!("{word}{value}-{}", number + 1),
        "type": if is_share { "percentage" } else { "amount" },
        "value": value,
        "max_usages": rng.chance(20).then(|| rng.between(5, 50) * 10),
        "max_uses_per_user": rng.chance(30).then_some(1),
        "minimum_amount": least,
        "starts_at": Timestamp::from_unix(start).to_string(),
        "expires_at": expires.map(|end| Timestamp::from_unix(end).to_string()),
        "active": !(over && rng.chance(30)),
    });
    (Timestamp::from_unix(start), without_nulls(new))
}

/// Removes null fields: `POST` expects absent ones.
fn without_nulls(mut new: Value) -> Value {
    if let Value::Object(fields) = &mut new {
        fields.retain(|_, value| !value.is_null());
    }
    new
}
