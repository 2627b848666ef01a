//! Substring search by the pieces of a text.

use db::{Conn, Containing, params};

use crate::support::migrated;

async fn found(conn: &mut Conn, pieces: &[&str]) -> Vec<String> {
    let sql = "SELECT u.username FROM users u WHERE u.id IN (SELECT rowid FROM user_search($1))
               ORDER BY u.id";
    conn.query(sql, params![Containing(pieces)], |row| row.get(0))
        .await
        .expect("a search")
}

#[tokio::test]
async fn every_row_with_all_pieces_in_their_order_is_found() {
    let (_scratch, db) = migrated().await;
    let mut tx = db.begin().await.expect("a transaction");
    for name in [
        "abcxyz",
        "1abc-2xyz3",
        "abcabc",
        "abxyz",
        "abcyz",
        "%abc_xyz",
    ] {
        tx.execute(
            "INSERT INTO users (username, email, username_folded, email_folded, password_hash,
                                status, created_at, updated_at)
             VALUES ($1, $1, $1, $1, '', 'active', 0, 0)",
            params![name],
        )
        .await
        .expect("a user");
    }
    tx.commit().await.expect("committed");

    let mut read = db.read().await.expect("a reader");
    let with_both = ["abcxyz", "1abc-2xyz3", "%abc_xyz"];
    assert_eq!(found(&mut read, &["abc", "xyz"]).await, with_both);
    assert_eq!(found(&mut read, &["abcxyz"]).await, ["abcxyz"]);
    let repeated = found(&mut read, &["abc", "abc"]).await;
    assert!(repeated.contains(&"abcabc".to_owned()));
    assert_eq!(found(&mut read, &["abc_xyz"]).await, ["%abc_xyz"]);
}
