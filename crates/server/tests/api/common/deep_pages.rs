//! A page of a list is the same whether it is read from the front or from the end.

use crate::support::payments::{numbers, rebuild_derived_data, shop};
use crate::support::walk::{ids, walk_ids};
use crate::support::{Client, TestApp};

async fn assert_pages_agree(app: &TestApp, path: &str, name: &str) {
    let admin = app.admin();
    let whole = walk_ids(&admin, &format!("{path}per_page=100"), name).await;
    assert!(whole.len() > 400, "{path}");
    for per_page in [1, 7, 64, 100] {
        let last = whole.len().div_ceil(per_page);
        for number in [
            1,
            3,
            last / 2,
            last / 2 + 1,
            last - 1,
            last,
            last + 1,
            last + 9,
        ] {
            let page = format!("{path}page={number}&per_page={per_page}");
            let part: Vec<i64> = whole
                .chunks(per_page)
                .nth(number - 1)
                .unwrap_or_default()
                .to_vec();
            assert_eq!(ids(&admin.get(&page).await, name), part, "{page}");
            let link = admin.get(&page).await.header("link").to_owned();
            assert_eq!(link.contains("rel=\"next\""), number < last, "{page}");
        }
    }
}

#[service_test(shop())]
async fn pages_of_users_are_the_same_read_from_either_end(app: TestApp, admin: Client) {
    let sql = format!(
        "INSERT INTO roles (name, description, color) VALUES ('Guard', '', '#808080');
         INSERT INTO users (username, email, username_folded, email_folded, password_hash,
                            status, created_at, updated_at)
         SELECT 'u' || n, 'e' || n, 'u' || n, 'e' || n, '',
                CASE WHEN n % 9 = 0 THEN 'pending' ELSE 'active' END, n % 5, 0
         FROM {};
         INSERT INTO user_roles (user_id, role_id) SELECT id, 1 FROM users WHERE id % 7 > 0",
        numbers(&app, 2600)
    );
    app.core().db.run_sql(&sql).await.expect("users");
    let with_ids = |id: &str, name: &str, last: i64| {
        format!(
            "INSERT INTO users (id, username, email, username_folded, email_folded, password_hash,
                                status, created_at, updated_at) {}
             SELECT {id}, '{name}' || n, '{name}' || n, '{name}' || n, '{name}' || n, '', 'active',
                    n % 5, 0 FROM {}",
            if app.core().db.on_postgres() {
                "OVERRIDING SYSTEM VALUE"
            } else {
                ""
            },
            numbers(&app, last)
        )
    };
    // On both sides of the edge of a bucket; then far apart, so that there are many buckets.
    for sql in [
        with_ids("4000 + n", "f", 200),
        with_ids("5000 + n * 150", "g", 1200),
    ] {
        app.core().db.run_sql(&sql).await.expect("users");
    }
    for _ in 0..2 {
        for query in [
            "",
            "sort=-id&",
            "sort=-created_at&",
            "sort=username&status=active&",
            "role_id=1&",
        ] {
            assert_pages_agree(&app, &format!("/api/users?{query}"), "users").await;
        }
        // Again with gaps.
        for id in [
            2, 3, 900, 1300, 1301, 2600, 4095, 4096, 4097, 32_750, 95_000,
        ] {
            admin.delete(&format!("/api/users/{id}")).await;
        }
    }
}

#[service_test(shop())]
async fn pages_of_invoices_are_the_same_read_from_either_end(app: TestApp, admin: Client) {
    let sql = format!(
        "INSERT INTO payment_gateways (key, name, enabled, created_at)
         VALUES ('stripe', '', TRUE, 0);
         INSERT INTO payment_invoices (user_id, gateway_id, amount, original_amount, currency_id,
                                       is_paid, failed_reason, created_at)
         SELECT 1, 1, n % 3 * 10000, 1, 1, n % 8 > 0, '', n / 5 * 40000 FROM {}",
        numbers(&app, 640)
    );
    app.app
        .kernel
        .core
        .db
        .run_sql(&sql)
        .await
        .expect("invoices");
    rebuild_derived_data(&app).await;
    for _ in 0..2 {
        for query in [
            "",
            "sort=amount&",
            "is_paid=true&",
            "created_from=1970-01-09&",
        ] {
            let path = format!("/api/payment-invoices?{query}");
            assert_pages_agree(&app, &path, "payment_invoices").await;
        }
        // Some of those that are not paid.
        for id in [7, 15, 199, 319, 327, 335, 639] {
            admin.delete(&format!("/api/payment-invoices/{id}")).await;
        }
    }
}
