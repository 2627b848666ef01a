//! Dumps that are refused, and options that do not fit: one sentence, exit 1, an untouched database.

use super::{CHOICES, DUPLICATES, SMALL, dump, import};
use crate::support::Home;

fn text(name: &str) -> String {
    let bytes = std::fs::read(dump(name)).expect("a dump");
    String::from_utf8(bytes).expect("this dump is UTF-8")
}

/// The dump with one part replaced, which it has.
#[track_caller]
fn with(dump: &str, part: &str, by: &str) -> String {
    assert!(dump.contains(part), "{part}");
    dump.replacen(part, by, 1)
}

#[tokio::test]
async fn damaged_dumps_are_refused_with_their_line_and_table() {
    let home = Home::new().await;
    home.start().await.stop().await.ok();
    let dump = text(DUPLICATES);
    let middle = dump.find("'Admin@example.org'").expect("a row");
    let columns: Vec<String> = (0..1_000_000).map(|n| format!("`c{n}` int")).collect();
    let time = "'2025-03-01 10:00:00',NULL";
    let roles = (4..2_000).map(|n| format!("({time},{n},'r{n}',NULL,NULL,{n},0),\n"));
    let first_role = format!("({time},1,'admin',");
    for (what, dump, sentence) in [
        ("cut off", dump[..middle].to_owned(), "table flute_users"),
        (
            "without its end",
            dump.replace("-- Dump completed", "-- "),
            "the dump has no end",
        ),
        (
            "in another character set",
            with(&dump, "SET NAMES utf8mb4", "SET NAMES cp1251"),
            "the dump is in the character set cp1251",
        ),
        (
            "an endless line",
            with(&dump, "'SALE'", &format!("'{}'", "x".repeat(17 << 20))),
            "table flute_promo_codes: a string has more than 16 MiB",
        ),
        (
            "a million columns",
            with(
                &dump,
                "CREATE TABLE `flute_users` (",
                &format!("CREATE TABLE `flute_users` ({},", columns.join(",")),
            ),
            "table flute_users: a table has more than 4096 columns",
        ),
        (
            "an integer beyond 64 bits",
            with(&dump, "NULL,4,'Ёлка'", "NULL,99999999999999999999,'Ёлка'"),
            "table flute_users: the column id has an integer beyond 64 bits",
        ),
        (
            "a missing column",
            with(&dump, "`is_temporary` tinyint", "`is_other` tinyint"),
            "table flute_users: the column is_temporary is missing",
        ),
        (
            "an expression",
            with(&dump, "(1,1,2)", "(1,1,SLEEP(9))"),
            "table flute_user_roles: a value must be NULL, a number or a string",
        ),
        (
            "a currency of four letters",
            with(&dump, "1,'USD',", "1,'USDT',"),
            "Table flute_currencies, row 1: the code USDT does not have three letters or digits",
        ),
        (
            "another prefix",
            dump.replace("`flute_", "`cms_"),
            "no table flute_users",
        ),
        (
            "more roles than are allowed",
            with(
                &dump,
                &first_role,
                &(String::from_iter(roles) + &first_role),
            ),
            "table flute_roles: there are more than 1000 roles",
        ),
        ("no dump", "not a dump".to_owned(), "Line 1"),
    ] {
        let path = home.write("dump.sql", &dump);
        let path = path.to_str().expect("a path");
        let ended = import(&home, path, &["--report", "report.json"]).await;
        assert_eq!(ended.code, Some(1), "{what}: {ended:?}");
        assert_eq!(ended.stdout, "", "{what}");
        let last = ended.stderr.lines().last().unwrap_or_default();
        assert!(last.starts_with("steward: "), "{what}: {last}");
        assert!(last.contains(sentence), "{what}: {last}");
        assert!(!home.folder().join("report.json").exists(), "{what}");
    }
    let service = home.start().await;
    for path in ["/api/users", "/api/payment-invoices", "/api/promo-codes"] {
        let found = service.admin().get(path).await;
        assert_eq!(found.header("x-total-count"), "0", "{path}");
    }
}

#[tokio::test]
async fn other_statements_and_other_programs_do_no_harm() {
    let home = Home::new().await;
    let dump = text(DUPLICATES);
    let dump = with(
        &dump,
        "CREATE TABLE `flute_users`",
        "DROP DATABASE flute;\nDELETE FROM `flute_users`;\nGRANT ALL ON *.* TO x;\n\
         CREATE TABLE `flute_users`",
    );
    let path = home.write("dump.sql", &dump);
    import(&home, path.to_str().expect("a path"), &[])
        .await
        .ok();
    let service = home.start().await;
    let users = service.admin().get("/api/users").await;
    assert_eq!(users.header("x-total-count"), "11");
}

#[tokio::test]
async fn amounts_of_float_columns_that_became_double_are_read_as_their_shortest_decimal() {
    let home = Home::new().await;
    let dump = with(&text(DUPLICATES), "`value` float", "`value` double");
    let dump = with(&dump, "'amount',5,NULL", "'amount',2500.10009765625,NULL");
    let path = home.write("dump.sql", &dump);
    import(&home, path.to_str().expect("a path"), &[])
        .await
        .ok();
    let service = home.start().await;
    let codes = service.admin().get("/api/promo-codes").await.ok();
    let first = &codes["promo_codes"][0];
    assert_eq!(first["value"].to_string(), "2500.1");
}

#[tokio::test]
async fn invoices_without_a_currency_need_one() {
    let home = Home::new().await;
    let ended = import(&home, SMALL, &["--balances", "left-out"]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let sentence = "table flute_payment_invoices: invoice 5 has no currency; name the one of all \
                    such invoices with --currency";
    assert!(ended.stderr.contains(sentence), "{ended:?}");
    let ended = import(&home, SMALL, &["--currency", "XYZ"]).await;
    assert!(ended.stderr.contains("--currency names XYZ"), "{ended:?}");
}

#[tokio::test]
async fn options_that_do_not_fit_are_misused() {
    let home = Home::new().await;
    for (args, word) in [
        (&["--game", "730"][..], "730=cs2"),
        (
            &["--host", "play.example.org=here"],
            "play.example.com=203.0.113.7",
        ),
        (&["--keys", "some"], "inactive"),
        (&["--balances", "kept"], "left-out"),
    ] {
        import(&home, SMALL, args).await.misused(&[word]);
    }
    let twice = ["--game", "730=cs2", "--game", "730=csgo"];
    import(&home, SMALL, &twice)
        .await
        .failed("--game names 730 twice");
    let absent = home.folder().join("absent.sql");
    let absent = absent.to_str().expect("a path");
    let ended = import(&home, absent, CHOICES).await;
    assert!(
        ended.stderr.contains("No such file or directory"),
        "{ended:?}"
    );
    assert!(!home.data().exists(), "nothing is created");
}

#[tokio::test]
async fn a_dump_may_be_compressed_and_have_another_prefix() {
    let home = Home::new().await;
    home.write("dump.sql", &text(DUPLICATES).replace("`flute_", "`Web_"));
    let packed = std::process::Command::new("gzip")
        .arg(home.folder().join("dump.sql"))
        .status();
    assert!(packed.expect("gzip runs").success());
    let path = home.folder().join("dump.sql.gz");
    let path = path.to_str().expect("a path");
    import(&home, path, &["--prefix", "web_"]).await.ok();
    let service = home.start().await;
    let users = service.admin().get("/api/users").await;
    assert_eq!(users.header("x-total-count"), "11");
}
