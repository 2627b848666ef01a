//! Reports of one payment that arrive at once.

use serde_json::json;

use super::{MONTH, grants, month_of_vip, order_of, product, role_end, stocked};
use crate::support::payments::{invoice, pay};
use crate::support::{Client, TestApp, at_once, count};

const CLIENTS: usize = 64;

/// How many payments are reported; more in `make torture`.
fn payments() -> i64 {
    let number = std::env::var("STEWARD_TEST_PAYMENTS");
    number.map_or(4, |number| number.parse().expect("a number"))
}

#[service_test(stocked())]
async fn a_payment_that_many_report_at_once_is_granted_once(app: TestApp, admin: Client) {
    let second = app.second_instance().await;
    let elsewhere = second.holder(app.admin_key());
    let vip = product(&admin, json!([month_of_vip()])).await;
    for _ in 0..payments() {
        let id = invoice(&admin, order_of(vip)).await["id"].clone();
        let report = |number: usize| {
            let reporter = [&admin, &elsewhere][number % 2].clone();
            let id = id.clone();
            async move { pay(&reporter, &id).await }
        };
        let answers = at_once((0..CLIENTS).map(report)).await;
        assert_eq!(count(&answers, 200), CLIENTS);
    }
    assert_eq!(
        app.number("SELECT COUNT(*) FROM grants").await,
        payments(),
        "one grant for each payment"
    );
    assert_eq!(grants(&admin).await[0]["state"], "done");
    let end = app.core().clock.now().unix() + payments() * MONTH;
    let stored = app.number("SELECT expires_at FROM user_roles").await;
    assert_eq!(stored, end, "{}", role_end(&admin).await);
}
