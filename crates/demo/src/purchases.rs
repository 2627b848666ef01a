//! The invoices of the community.

use super::catalogue::PRICES;
use super::event_times::EventTimes;
use super::people::Buyers;
use super::plan::{BATCH, Part, Plan, SHOP_DAYS};
use super::rng::Rng;
use super::shop::Shop;
use super::words::FAILURES;
use kernel::types::Timestamp;
use kernel::types::money::Money;
use kernel::types::time::{HOUR, MINUTE};
use payments::invoices::{AppliedPromo, Invoice};

/// Generates the invoices in the order in which they are created.
pub struct Purchases {
    seed: u64,
    rng: Rng,
    event_times: EventTimes,
    shop: Shop,
    buyers: Buyers,
    end: Timestamp,
    first_id: i64,
    made: u64,
    total: u64,
}

/// The way a purchase ends.
#[derive(Clone, Copy)]
enum Ending {
    Paid,
    Failed,
    Pending,
}

impl Purchases {
    pub fn new(plan: &Plan, shop: Shop, buyers: Buyers, first_id: i64) -> Self {
        let total = plan.invoices.into();
        Self {
            seed: plan.seed,
            rng: plan.rng(Part::Invoices),
            event_times: EventTimes::new(plan.days_before_end(SHOP_DAYS), SHOP_DAYS, total),
            shop,
            buyers,
            end: plan.end(),
            first_id,
            made: 0,
            total,
        }
    }

    /// The next invoices; `None` when all are generated.
    pub fn next_batch(&mut self) -> Option<Vec<Invoice>> {
        let count = BATCH.min(self.total - self.made);
        (count > 0).then(|| (0..count).map(|_| self.next_invoice()).collect())
    }

    fn next_invoice(&mut self) -> Invoice {
        let rng = &mut self.rng;
        let created_at = self.event_times.moment(self.made, rng);
        let user_id = self.buyers.buyer(rng, created_at);
        // Most users pay in the same currency and through the same gateway each time.
        let mut habits = if rng.chance(85) {
            Rng::new(self.seed, user_id.unsigned_abs())
        } else {
            Rng::new(self.seed, rng.below(u64::MAX))
        };
        let (column, currency) = habits.pick_weighted(&self.shop.currencies).clone();
        let gateway = habits.pick_weighted(&self.shop.gateways).clone();
        let price = price(rng, column);
        let promo = if rng.chance(12) {
            self.shop.promo_code(rng, user_id, price, created_at)
        } else {
            None
        };
        let amount = promo.map_or(price, |promo| price.less(promo.discount(price)));
        let promo = promo.map(|promo| AppliedPromo {
            id: promo.id,
            code: promo.code.clone(),
        });
        let settled = |seconds: i64| {
            let at = Timestamp::from_unix(created_at.unix() + seconds);
            (at < self.end).then_some(at)
        };
        let ending = *rng.pick_weighted(&[
            (85, Ending::Paid),
            (9, Ending::Failed),
            (6, Ending::Pending),
        ]);
        let paid_at = match ending {
            Ending::Paid if gateway.key == "bank-transfer" => {
                settled(rng.between(6 * HOUR, 72 * HOUR))
            }
            Ending::Paid => settled(rng.between(20, 15 * MINUTE)),
            _ => None,
        };
        let failed_at = match ending {
            Ending::Failed => settled(rng.between(30, 2 * HOUR)),
            _ => None,
        };
        let transaction_id = (paid_at.is_some() || failed_at.is_some() && rng.chance(40))
            .then(|| format!("{}-{}", gateway.key, rng.letters(18)));
        let failed_reason = match failed_at {
            Some(_) => (*rng.pick(FAILURES)).to_owned(),
            None => String::new(),
        };
        let invoice = Invoice {
            id: self.first_id + self.made.cast_signed(),
            user_id,
            gateway: gateway.key,
            transaction_id,
            amount,
            original_amount: price,
            promo,
            currency_id: currency.id,
            currency: currency.code,
            is_paid: paid_at.is_some(),
            paid_at,
            failed_at,
            failed_reason,
            order: None,
            refund: None,
            gateway_id: gateway.id,
            created_at,
        };
        self.made += 1;
        invoice
    }
}

/// The price of an article, or sometimes a donation of any amount.
fn price(rng: &mut Rng, column: usize) -> Money {
    const CENT: i64 = Money::ONE / 100;
    if rng.chance(8) {
        return Money::whole(*rng.pick_weighted(&[
            (40, 5),
            (30, 10),
            (15, 20),
            (10, 50),
            (5, 100),
        ]));
    }
    if rng.chance(2) {
        return Money::from_parts(rng.between(500, 20_000) * CENT);
    }
    Money::from_parts(rng.pick_weighted(PRICES)[column] * CENT)
}
