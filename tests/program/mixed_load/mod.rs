//! All kinds of writes at once, killed again and again: no acknowledged write is lost and none is
//! left half done.

mod checks;
mod clients;
mod ledger;
mod writer;

use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;

use self::checks::{Database, assert_statistics, wait_until_idle};
use self::writer::{Kind, Shop, Writer};
use crate::support::{Client, Home, Program, number, within};

/// The concurrent writers. Two create users, because each waits for a password hash.
const CLIENTS: [Kind; 11] = [
    Kind::Users,
    Kind::Users,
    Kind::Content,
    Kind::Content,
    Kind::Navigation,
    Kind::Navigation,
    Kind::Currencies,
    Kind::Invoices,
    Kind::Invoices,
    Kind::Invoices,
    Kind::Keys,
];

#[tokio::test]
async fn kills_under_mixed_load_lose_nothing_and_break_no_rule() {
    let home = Home::new().await;
    let mut service = home.start().await;
    let shop = open_shop(&home, &service.admin()).await;
    let kinds = CLIENTS.into_iter().enumerate();
    let mut writers: Vec<Writer> = kinds
        .map(|(number, kind)| Writer::new(number, kind, shop.clone()))
        .collect();
    for round in 0..number("STEWARD_TEST_MIXED_KILLS", 6) {
        println!("round {round}");
        // At a different time in each round, while all clients are writing.
        writers = load(service, writers, 300 + 17 * round as usize).await;
        within(wait_until_idle(&home)).await;
        service = home.start().await;
        check(&home, &service, &mut writers, false).await;
    }
    check(&home, &service, &mut writers, true).await;

    let used_up: usize = writers.iter().map(|writer| writer.used_up).sum();
    assert!(used_up > 0, "the promo code never came to its limit");
}

/// Lets all clients write until this many writes are acknowledged, then kills the service.
async fn load(service: Program, writers: Vec<Writer>, enough: usize) -> Vec<Writer> {
    let (count, mut counted) = watch::channel(0);
    let mut running = JoinSet::new();
    for writer in writers {
        running.spawn(writer.write(service.admin(), count.clone()));
    }
    within(counted.wait_for(|count| *count >= enough))
        .await
        .expect("clients go on");
    let stopped = running.try_join_next().map(|ended| ended.map(|_| ()));
    assert!(
        stopped.is_none(),
        "a client gave up before the kill: {stopped:?}"
    );
    service.kill();
    within(running.join_all()).await
}

/// Checks what the clients know, and the invariants. Rows that no client changed since the last
/// check are read again only at the end.
async fn check(home: &Home, service: &Program, writers: &mut [Writer], all: bool) {
    let admin = service.admin();
    let database = Database::read(home).await;
    database.assert_invariants();
    assert_statistics(&admin, &database.invoices).await;

    // The admin's key, and the resources of the shop.
    let (mut answered, mut unanswered) = (1 + 6, 0);
    for writer in writers {
        if all {
            writer.ledger.recheck_everything();
        }
        writer
            .ledger
            .assert_states(&admin, &database.invoices)
            .await;
        writer.ledger.assert_keys(service).await;
        answered += writer.ledger.created;
        unanswered += writer.ledger.unanswered_creates;
    }
    let found = database.creations();
    assert!(
        (answered..=answered + unanswered).contains(&found),
        "{found} rows were made, {answered} acknowledged and {unanswered} unanswered"
    );
}

/// Resources that all clients refer to and none changes.
async fn open_shop(home: &Home, admin: &Client) -> Shop {
    let mut role_ids = Vec::new();
    for name in ["Guard", "Guest", "Mayor", "Judge"] {
        let made = admin.post("/api/roles", json!({ "name": name })).await;
        role_ids.push(made.created()["role"]["id"].as_i64().expect("an id"));
    }
    assert_eq!(role_ids, [1, 2, 3, 4]);
    let body = json!({
        "username": "buyer", "email": "buyer@example.org", "password": "battery staple",
        "role_ids": &role_ids[..2],
    });
    let user = admin.post("/api/users", body).await.created();
    let body = json!({ "code": "EUR", "minimum_value": 0, "exchange_rate": 1 });
    let currency = admin.post("/api/currencies", body).await.created();
    // Few enough that invoices compete for the last usage.
    let promo_codes = "
        INSERT INTO promo_codes (code, code_folded, type, value, max_usages, for_roles_only,
                                 active, usages_count, created_at)
        VALUES ('FEW', 'few', 'percentage', 333333, 25, FALSE, TRUE, 0, 0),
               ('MANY', 'many', 'amount', 12345, NULL, FALSE, TRUE, 0, 0)";
    let database = home.database().await;
    database.run_sql(promo_codes).await.expect("promo codes");
    Shop::new(
        user["user"]["id"].as_i64().expect("an id"),
        currency["currency"]["id"].as_i64().expect("an id"),
        role_ids,
    )
}
