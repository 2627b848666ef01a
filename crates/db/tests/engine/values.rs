use db::testing::Scratch;
use db::{Db, Error, Value, params};

use crate::support::{create, put, stored, with_items, within};

async fn with_things() -> (Scratch, Db) {
    let (scratch, db) = with_items().await;
    create(
        &db,
        "CREATE TABLE things (id ID PRIMARY KEY, flag BOOLEAN, number BIGINT, text TEXT,
         data BYTES)",
    )
    .await;
    (scratch, db)
}

type Thing = (Option<bool>, Option<i64>, Option<String>, Option<Vec<u8>>);

/// The row as the statement itself returns it, and as read after the commit.
async fn round_trip(db: &Db, id: i64, thing: &Thing) -> [Thing; 2] {
    let (flag, number, text, data) = thing;
    let row = |row: &db::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let mut tx = within(db.begin()).await.expect("a transaction");
    let returned = tx
        .query_one(
            "INSERT INTO things (id, flag, number, text, data) VALUES ($1, $2, $3, $4, $5)
             RETURNING flag, number, text, data",
            params![id, *flag, *number, text.as_ref(), data.as_ref()],
            row,
        )
        .await
        .expect("a row");
    within(tx.commit()).await.expect("committed");
    let mut read = db.read().await.expect("a reader");
    let read = read
        .query_one(
            "SELECT flag, number, text, data FROM things WHERE id = $1",
            params![id],
            row,
        )
        .await
        .expect("a row");
    [returned, read]
}

#[tokio::test(flavor = "multi_thread")]
async fn values_of_every_type_are_read_as_written() {
    let (_scratch, db) = with_things().await;
    let all_bytes: Vec<u8> = (0..=255).collect();
    let things: &[Thing] = &[
        (None, None, None, None),
        (Some(true), Some(0), Some(String::new()), Some(Vec::new())),
        (Some(false), Some(i64::MIN), None, Some(vec![0])),
        (None, Some(i64::MAX), None, Some(vec![0, 1, 0, 0])),
        (None, Some(-1), None, Some(all_bytes.repeat(4096))),
        (None, None, Some("x".repeat(1 << 20)), None),
        // Text that looks like a number stays text.
        (None, None, Some("007".into()), Some(b"1e3".to_vec())),
    ];
    for (id, thing) in things.iter().enumerate() {
        for found in round_trip(&db, id as i64, thing).await {
            assert!(found == *thing, "thing {id} has changed");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn text_of_every_script_is_read_as_written() {
    let (_scratch, db) = with_things().await;
    let texts = [
        "Grüße, œuvre, Łódź",
        "Русский ελληνικά Հայերեն ქართული",
        "עברית العربية فارسی",
        "हिन्दी বাংলা தமிழ் ไทย",
        "中文 日本語 한국어",
        // The same letter, composed and decomposed: text is not normalised.
        "\u{e9}",
        "e\u{301}",
        "𝄞 𐍈 😀 👩‍👩‍👧‍👦 🏳️‍🌈 \u{10ffff}",
        "\u{feff}\u{200b}\u{202e}\u{fffd}",
        "a'b\"c\\d%e_f$1?2;--\r\n\t\u{1}\u{7f}",
    ];
    for (id, text) in texts.iter().enumerate() {
        let thing = (None, None, Some((*text).to_owned()), None);
        for found in round_trip(&db, id as i64, &thing).await {
            assert_eq!(found, thing);
        }
        let mut read = db.read().await.expect("a reader");
        let ids: Vec<i64> = read
            .query(
                "SELECT id FROM things WHERE text = $1",
                params![*text],
                |row| row.get(0),
            )
            .await
            .expect("texts compare");
        assert_eq!(ids, [id as i64], "another text equals {text}");
    }
}

async fn found(db: &Db, ids: &[i64]) -> Vec<i64> {
    let mut read = db.read().await.expect("a reader");
    read.query(
        "SELECT id FROM items WHERE id = ANY($1) ORDER BY id",
        params![ids],
        |row| row.get(0),
    )
    .await
    .expect("items can be found")
}

#[tokio::test(flavor = "multi_thread")]
async fn any_finds_the_rows_of_a_list_of_ids() {
    let (_scratch, db) = with_items().await;
    let mut tx = db.begin().await.expect("a transaction");
    for id in [i64::MIN, -1, 0, 1, 2, 3, 1 << 53, (1 << 53) + 1, i64::MAX] {
        put(&mut tx, id).await.expect("a new row");
    }
    within(tx.commit()).await.expect("committed");
    assert!(found(&db, &[]).await.is_empty());
    assert_eq!(found(&db, &[2]).await, [2]);
    assert_eq!(found(&db, &[3, 99, 1, 3]).await, [1, 3]);
    assert_eq!(
        found(&db, &[i64::MAX, (1 << 53) + 1, i64::MIN]).await,
        [i64::MIN, (1 << 53) + 1, i64::MAX]
    );
    let many: Vec<i64> = (1..=50_000).collect();
    assert_eq!(found(&db, &many).await, [1, 2, 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_texts_is_read_as_a_table() {
    let (_scratch, db) = with_things().await;
    let mut read = db.read().await.expect("a reader");
    let sql = "SELECT value.value FROM unnest($1::text[]) value";
    let texts = ["7", "a,b", "\"}{'\\", "", "null", "Łódź\n😀", "7"].map(str::to_owned);
    let found: Vec<String> = read
        .query(sql, params![&texts[..]], |row| row.get(0))
        .await
        .expect("the texts");
    assert_eq!(found, texts);
    let refused = read
        .query(sql, params![&["a\0b".to_owned()][..]], |row| {
            row.get::<String>(0)
        })
        .await;
    assert!(matches!(refused, Err(Error::Nul)), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nul_in_text_is_refused_and_nothing_is_written() {
    let (_scratch, db) = with_things().await;
    let mut tx = db.begin().await.expect("a transaction");
    for text in ["\0", "a\0b", "a\0"] {
        let refused = tx
            .execute(
                "INSERT INTO things (id, text) VALUES (1, $1)",
                params![text],
            )
            .await;
        assert!(matches!(refused, Err(Error::Nul)), "{refused:?}");
        let refused = tx
            .query(
                "INSERT INTO things (id, text) VALUES (1, $1) RETURNING id",
                params![text],
                |row| row.get::<i64>(0),
            )
            .await;
        assert!(matches!(refused, Err(Error::Nul)), "{refused:?}");
    }
    let things: i64 = tx
        .query_one("SELECT count(*) FROM things", &[], |row| row.get(0))
        .await
        .expect("nothing was sent, so the transaction is still usable");
    assert_eq!(things, 0);
    put(&mut tx, 1).await.expect("a new row");
    within(tx.commit()).await.expect("committed");
    assert_eq!(stored(&db).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_may_repeat_and_appear_in_any_order() {
    let (_scratch, db) = with_things().await;
    let mut tx = db.begin().await.expect("a transaction");
    let row: (i64, String) = tx
        .query_one(
            "INSERT INTO things (text, number, id) VALUES ($2, $1, $1) RETURNING number, text",
            &[Value::Int(7), Value::Text("seven")],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .await
        .expect("a row");
    assert_eq!(row, (7, "seven".to_owned()));
}
