use super::catalogue::PRICES;
use super::dice::Dice;
use super::people::Crowd;
use super::rhythm::Rhythm;
use super::shop::Shop;
use super::words::FAILURES;
use super::{BATCH, Part, Plan, SHOP_DAYS};
use kernel::types::Timestamp;
use kernel::types::money::Money;
use server::invoices::{AppliedPromo, Invoice};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// What the people of the community buy, one thing after the other.
pub struct Purchases {
    seed: u64,
    dice: Dice,
    rhythm: Rhythm,
    shop: Shop,
    crowd: Crowd,
    end: Timestamp,
    first_id: i64,
    made: u64,
    total: u64,
}

/// What became of a purchase.
#[derive(Clone, Copy)]
enum Fate {
    Paid,
    Failed,
    Pending,
}

impl Purchases {
    pub fn new(plan: &Plan, shop: Shop, crowd: Crowd, first_id: i64) -> Self {
        let total = plan.invoices.into();
        Self {
            seed: plan.seed,
            dice: plan.dice(Part::Invoices),
            rhythm: Rhythm::new(plan.days_before_end(SHOP_DAYS), SHOP_DAYS, total),
            shop,
            crowd,
            end: plan.end(),
            first_id,
            made: 0,
            total,
        }
    }

    /// What is bought next; `None` when everything was.
    pub fn next_batch(&mut self) -> Option<Vec<Invoice>> {
        let count = BATCH.min(self.total - self.made);
        (count > 0).then(|| (0..count).map(|_| self.next_invoice()).collect())
    }

    fn next_invoice(&mut self) -> Invoice {
        let dice = &mut self.dice;
        let created_at = self.rhythm.moment(self.made, dice);
        let user_id = self.crowd.buyer(dice, created_at);
        // Most people pay in the same currency and the same way each time.
        let mut habits = if dice.chance(85) {
            Dice::new(self.seed, user_id.unsigned_abs())
        } else {
            Dice::new(self.seed, dice.below(u64::MAX))
        };
        let (column, currency) = habits.pick_weighted(&self.shop.currencies).clone();
        let gateway = habits.pick_weighted(&self.shop.gateways).clone();
        let price = price(dice, column);
        let promo = if dice.chance(12) {
            self.shop.promo_code(dice, user_id, price, created_at)
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
        let fate = *dice.pick_weighted(&[(85, Fate::Paid), (9, Fate::Failed), (6, Fate::Pending)]);
        let paid_at = match fate {
            Fate::Paid if gateway.key == "bank-transfer" => {
                settled(dice.between(6 * HOUR, 72 * HOUR))
            }
            Fate::Paid => settled(dice.between(20, 15 * MINUTE)),
            _ => None,
        };
        let failed_at = match fate {
            Fate::Failed => settled(dice.between(30, 2 * HOUR)),
            _ => None,
        };
        let transaction_id = (paid_at.is_some() || failed_at.is_some() && dice.chance(40))
            .then(|| format!("{}-{}", gateway.key, dice.letters(18)));
        let failed_reason = match failed_at {
            Some(_) => (*dice.pick(FAILURES)).to_owned(),
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
            gateway_id: gateway.id,
            created_at,
        };
        self.made += 1;
        invoice
    }
}

/// A thing out of the shop, or now and then a gift of any height.
fn price(dice: &mut Dice, column: usize) -> Money {
    const CENT: i64 = Money::ONE / 100;
    if dice.chance(8) {
        return Money::whole(*dice.pick_weighted(&[
            (40, 5),
            (30, 10),
            (15, 20),
            (10, 50),
            (5, 100),
        ]));
    }
    if dice.chance(2) {
        return Money::from_parts(dice.between(500, 20_000) * CENT);
    }
    Money::from_parts(dice.pick_weighted(PRICES)[column] * CENT)
}
