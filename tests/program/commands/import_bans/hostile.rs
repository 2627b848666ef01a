//! Dumps that are refused, and options that do not fit: nothing is written.

use super::{IKS, SIMPLEADMIN, SOURCEBANS, bans, import};
use crate::support::Home;

/// Asserts that each dump is refused with its sentence, and that the database stays empty.
async fn assert_refused(from: &str, dumps: &[(&str, String, &str)]) {
    let home = Home::new().await;
    home.start().await.stop().await.ok();
    for (what, dump, sentence) in dumps {
        let args = ["--from", from, "--report", "report.json"];
        let ended = import(&home, dump, &args).await;
        assert_eq!(ended.code, Some(1), "{what}: {ended:?}");
        assert_eq!(ended.stdout, "", "{what}");
        let last = ended.stderr.lines().last().unwrap_or_default();
        assert!(last.starts_with("steward: "), "{what}: {last}");
        assert!(last.contains(sentence), "{what}: {last}");
        let report = home.folder().join("report.json");
        assert!(!report.exists(), "{what}: no report of what was not done");
    }
    let service = home.start().await;
    assert_eq!(bans(&service).await.len(), 0);
}

/// The dump with one part replaced, which it has.
#[track_caller]
fn with(dump: &str, part: &str, by: &str) -> String {
    assert!(dump.contains(part), "{part}");
    dump.replace(part, by)
}

#[tokio::test]
async fn a_damaged_dump_of_sourcebans_is_refused_with_its_line_and_table() {
    let dump = SOURCEBANS;
    let middle = dump.find("'Barney'").expect("a row");
    assert_refused(
        "sourcebans",
        &[
            ("cut off", dump[..middle].to_owned(), "table sb_bans"),
            (
                "without its end",
                with(dump, "-- Dump completed on 2026-11-17 21:33:28", ""),
                "the dump has no end",
            ),
            (
                "in another character set",
                with(dump, "SET NAMES utf8mb4", "SET NAMES latin1"),
                "Line 7: the dump is in the character set latin1",
            ),
            (
                "a row that is too short",
                with(
                    dump,
                    "NULL,NULL,NULL,NULL,5,NULL)",
                    "NULL,NULL,NULL,NULL,5)",
                ),
                "table sb_bans: a row has 16 values, but there are 17 columns",
            ),
            (
                "a missing column",
                with(
                    dump,
                    "`authid` varchar(64) NOT NULL DEFAULT '',\n  `name`",
                    "`other` int,\n  `name`",
                ),
                "table sb_bans: the column authid is missing",
            ),
            (
                "an integer beyond 64 bits",
                with(dump, "1700000300,1700000300,0", "99999999999999999999,1,0"),
                "table sb_bans: the column created has an integer beyond 64 bits",
            ),
            (
                "a text in place of an integer",
                with(dump, "1700000300,1700000300,0", "'yesterday',1,0"),
                "table sb_bans: the column created is not an integer",
            ),
            (
                "an error after the bans",
                with(dump, "'secret-hash',1,'alyx@example.org'", "'secret-hash'"),
                "table sb_admins: a row has 4 values, but there are 6 columns",
            ),
            (
                "another prefix",
                with(dump, "`sb_", "`web_"),
                "the dump has no table sb_bans; name the prefix of the tables with --prefix",
            ),
            (
                "another program",
                IKS.to_owned(),
                "the dump has no table sb_bans",
            ),
            ("no dump", "not a dump".to_owned(), "Line 1"),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_dump_of_simpleadmin_needs_the_time_zone_utc() {
    let sentence = "the dump does not set time_zone to +00:00, so its times cannot be read; make it \
                    again with mysqldump without --skip-tz-utc, or with phpMyAdmin.";
    let zone = "/*!40103 SET TIME_ZONE='+00:00' */;\n";
    let moscow = "/*!40103 SET TIME_ZONE='+03:00' */;\n";
    let only_bans = SIMPLEADMIN.find("CREATE TABLE `sa_bans`").expect("a table");
    assert_refused(
        "simpleadmin",
        &[
            ("none", with(SIMPLEADMIN, zone, ""), sentence),
            (
                "another",
                with(SIMPLEADMIN, zone, moscow),
                "table sa_admins: the dump does not",
            ),
            (
                "in bans alone",
                SIMPLEADMIN[only_bans..].to_owned(),
                sentence,
            ),
            (
                "restored before the bans",
                with(
                    SIMPLEADMIN,
                    "CREATE TABLE `sa_bans`",
                    "SET TIME_ZONE=@OLD_TIME_ZONE;\nCREATE TABLE `sa_bans`",
                ),
                sentence,
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn impossible_values_are_changed_or_left_out_and_never_stored() {
    let home = Home::new().await;
    let service = home.start().await;
    let long = "ж".repeat(600);
    let dump = with(SOURCEBANS, "'Cheating'", &format!("'{long}'"));
    let dump = with(&dump, "'Alyx'", &format!("'\\n\\0{}'", "n".repeat(101)));
    let dump = with(
        &dump,
        "4000000000,2300000000,'Griefing'",
        "9223372036854775807,1,'Griefing'",
    );
    let dump = with(&dump, "(7,'198.51.100.7'", "(NULL,'198.51.100.7'");
    let dump = with(&dump, "1700000500,1700000500,0", "-5,9223372036854775806,0");
    let ended = import(&home, &dump, &["--from", "sourcebans"]).await;
    for line in [
        "sb_bans 1: changed: the reason is cut to 500 characters",
        "sb_bans 2: changed: the name had control characters",
        "sb_bans 2: changed: the name is cut to 100 characters",
        "sb_bans 2: changed: the end is more than 100 years ahead, so there is none",
        "sb_bans: left out: it has no id",
        "sb_bans 6: changed: the time of creation is missing or impossible, so it is now",
    ] {
        assert!(ended.ok().contains(line), "{line}: {ended:?}");
    }
    let found = bans(&service).await;
    assert_eq!(found["bans:1"]["reason"], "ж".repeat(500));
    assert_eq!(found["bans:2"]["player_name"], "n".repeat(100));
    assert_eq!(found["bans:2"]["expires_at"], super::ETERNAL);
}

#[tokio::test]
async fn a_dump_without_administrators_says_so() {
    let home = Home::new().await;
    let service = home.start().await;
    let admins = SOURCEBANS
        .find("CREATE TABLE `sb_admins`")
        .expect("a table");
    let dump = format!("{}-- Dump completed\n", &SOURCEBANS[..admins]);
    let ended = import(&home, &dump, &["--from", "sourcebans"]).await;
    let line = "sb_admins: the table is missing, so what it names is unknown";
    assert!(ended.ok().contains(line), "{ended:?}");
    assert_eq!(
        bans(&service).await["bans:1"]["issued_by"]["name"],
        "admin 1"
    );
}

#[tokio::test]
async fn tables_may_have_another_prefix_and_a_dump_may_be_compressed() {
    let home = Home::new().await;
    let service = home.start().await;
    home.write("dump.sql", &SOURCEBANS.replace("`sb_", "`Web_"));
    let packed = std::process::Command::new("gzip")
        .arg(home.folder().join("dump.sql"))
        .status();
    assert!(packed.expect("gzip runs").success());
    let args = [
        "import",
        "bans",
        "dump.sql.gz",
        "--from",
        "sourcebans",
        "--prefix",
        "web",
    ];
    home.run(&args).await.ok();
    assert_eq!(bans(&service).await.len(), 12);
}

#[tokio::test]
async fn options_that_do_not_fit_are_refused() {
    let home = Home::new().await;
    let missing = import(&home, IKS, &["--from", "iks"]).await;
    if !home.on_postgres() {
        assert!(
            missing.stderr.contains("there is no database at"),
            "{missing:?}"
        );
    }
    home.start().await.stop().await.ok();
    for (args, sentence) in [
        (
            &["--from", "iks", "--prefix", "x"][..],
            "--prefix is for sourcebans; the other programs have fixed names",
        ),
        (
            &["--from", "sourcebans", "--scope", "server"],
            "bans of SourceBans hold on all servers: the server in them is where they were issued; \
             leave out --scope server",
        ),
        (
            &["--from", "iks", "--server", "3=7"],
            "--server names server 7, which does not exist",
        ),
        (
            &["--from", "iks", "--server", "3=7", "--server", "3=8"],
            "--server names server 3 twice",
        ),
        (
            &["--from", "iks", "--report", "dump.sql"],
            "dump.sql exists; choose another name",
        ),
    ] {
        import(&home, IKS, args).await.failed(sentence);
    }
    let absent = ["import", "bans", "absent.sql", "--from", "iks"];
    let ended = home.run(&absent).await;
    ended.failed("absent.sql: No such file or directory (os error 2)");
    for server in ["3", "3=x", "0=7", "=7", "3=-7"] {
        let args = ["--from", "iks", "--server", server];
        let ended = import(&home, IKS, &args).await;
        ended.misused(&["it must be two ids such as 3=7"]);
    }
    import(&home, IKS, &[]).await.misused(&["--from"]);
}
