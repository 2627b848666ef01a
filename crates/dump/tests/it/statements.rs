//! Statements, settings and the end of a dump.

use dump::{Item, Reader};

use crate::{END, error, read};

#[test]
fn forms_of_insert_that_are_more_than_rows_are_refused() {
    for (text, form) in [
        ("(a) SELECT 1", "INSERT with SELECT"),
        ("SELECT 1", "INSERT with SELECT"),
        ("(SELECT 1)", "INSERT with SELECT"),
        ("SET a = 1", "INSERT with SET"),
        (
            "(a) VALUES (1) ON DUPLICATE KEY UPDATE a = 2",
            "INSERT with ON DUPLICATE KEY",
        ),
        ("(a) VALUES (1) AS new", "INSERT with ON DUPLICATE KEY"),
        ("PARTITION (p0) VALUES (1)", "INSERT with PARTITION"),
    ] {
        assert_eq!(
            error(&format!("INSERT INTO t {text};")),
            format!(
                "Line 1, table t: {form} cannot be read; make the dump again with plain INSERT \
                 statements."
            )
        );
    }
    // Such a statement of another table does not matter.
    let text = format!("INSERT INTO other SELECT ';' FROM (t);{END}");
    let mut reader = Reader::new(text.as_bytes())
        .expect("a dump")
        .only(|name| name == "t");
    assert!(reader.next().expect("an item").is_none());
}

#[test]
fn other_statements_are_skipped_and_counted() {
    let text = "DROP TABLE IF EXISTS `a;`;\nLOCK TABLES t WRITE;\nUNLOCK TABLES;;\n
        CREATE VIEW v AS SELECT ';' AS `;`;\nALTER TABLE t ADD KEY (a);\nSET a = 1;
        UPDATE t SET a = '\\';INSERT INTO t (a) VALUES (1)';\nUSE `x`;";
    let text = format!("{text}{END}");
    let mut reader = Reader::new(text.as_bytes()).expect("a dump");
    assert!(reader.next().expect("an item").is_none());
    assert_eq!(reader.skipped_statements(), 5);
    assert_eq!(reader.bytes_read(), text.len() as u64);
    assert_eq!(reader.line(), text.lines().count() as u64 + 1);
}

#[test]
fn tables_that_are_not_wanted_are_skipped_whatever_they_contain() {
    let text = "CREATE TABLE u (a geometry, GARBAGE () ) x;
        INSERT INTO u VALUES (POINT(1,2), ';', \"\\\";\", `;`/*;*/, NOW()); -- ;
        CREATE TABLE t (a int);\nINSERT INTO `t` VALUES (1);";
    let text = format!("{text}{END}");
    let mut reader = Reader::new(text.as_bytes())
        .expect("a dump")
        .only(|name| name == "t");
    assert!(matches!(reader.next(), Ok(Some(Item::Table(_)))));
    assert!(matches!(reader.next(), Ok(Some(Item::Row(_)))));
    assert!(matches!(reader.next(), Ok(None)));
    assert!(matches!(reader.next(), Ok(None)));
}

#[test]
fn a_body_of_a_procedure_is_not_data() {
    let body = "CREATE PROCEDURE p() BEGIN INSERT INTO t (a) VALUES (1); END";
    for delimiter in ["$$", ";;", "//", "|"] {
        let text = format!("DELIMITER {delimiter}\n{body}{delimiter}\nDELIMITER ;\n");
        let text = format!("{text}INSERT INTO t (a) VALUES (2);");
        assert_eq!(read(&text).expect("rows"), ["t(2)"]);
    }
    assert_eq!(
        error(&format!("{body};")),
        "Line 1: the body of a procedure or trigger needs a DELIMITER before it."
    );
    assert_eq!(
        error("DELIMITER\n"),
        "Line 1: a delimiter is expected here."
    );
    assert_eq!(
        error("DELIMITER '\n"),
        "Line 1: a delimiter such as ;; or $$ is expected here."
    );
}

#[test]
fn a_character_set_other_than_utf8_is_refused() {
    for name in ["utf8", "UTF8MB3", "'utf8mb4' COLLATE 'x'"] {
        assert!(read(&format!("SET NAMES {name};")).is_ok());
    }
    for set in [
        "SET NAMES latin1",
        "SET CHARACTER SET 'latin1'",
        "/*!40101 SET NAMES latin1 */",
    ] {
        assert_eq!(
            error(&format!("\n{set};")),
            "Line 2: the dump is in the character set latin1; make it again with \
             --default-character-set=utf8mb4."
        );
    }
    assert!(error("SET NAMES @x;").contains("NAMES"));
    assert!(error("SET NAMES;").contains("NAMES"));
    // It matters for rows only: mysqldump changes it around triggers.
    let set = "SET @old = @@character_set_client; SET character_set_client = cp866;";
    let row = "INSERT INTO t (a) VALUES (1);";
    assert!(error(&format!("{set}{row}")).contains("cp866"));
    assert!(read(&format!("{set} SET character_set_client = @old; {row}")).is_ok());
    assert!(read(&format!("{set} SET character_set_client = utf8; {row}")).is_ok());
}

#[test]
fn the_sql_mode_is_obeyed() {
    let row = r#"INSERT INTO t ("a") VALUES ('C:\');"#;
    let set =
        "SET @old = @@SESSION.sql_mode, SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES';";
    assert_eq!(
        read(&format!("{set}{row}")).expect("rows"),
        [r#"t("C:\\")"#]
    );
    let restored =
        format!("{set}{row} SET @@session.SQL_MODE := @OLD; INSERT INTO t (a) VALUES (\"\\n\");");
    assert_eq!(
        read(&restored).expect("rows"),
        [r#"t("C:\\")"#, r#"t("\n")"#]
    );
    let other =
        "SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES'; SET sql_mode = '', @x = 'ANSI_QUOTES';";
    assert_eq!(
        read(&format!("{other}INSERT INTO t (a) VALUES ('\\n');")).expect("rows"),
        [r#"t("\n")"#]
    );
    assert_eq!(
        error("SET sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES');"),
        "Line 1: the setting sql_mode must be a plain text."
    );
}

#[test]
fn the_time_zone_of_the_rows_is_known() {
    let row = "INSERT INTO t (a) VALUES (1);";
    let text = format!(
        "{row} SET time_zone = \"+00:00\"; {row} /*!40103 SET TIME_ZONE='+02:00' */;{row}\n\
         SET TIME_ZONE=@OLD_TIME_ZONE; {row} SET GLOBAL time_zone = 'UTC'; {row}{END}"
    );
    let mut reader = Reader::new(text.as_bytes()).expect("a dump");
    let mut zones = Vec::new();
    while reader.next().expect("an item").is_some() {
        zones.push(reader.time_zone().map(str::to_owned));
    }
    let expected = [None, Some("+00:00"), Some("+02:00"), None, None];
    assert_eq!(zones, expected.map(|zone| zone.map(str::to_owned)));
}

#[test]
fn a_dump_must_have_its_end() {
    let read = |text: &str| {
        let reader = Reader::new(text.as_bytes()).expect("a dump");
        crate::read_all(reader).map_err(|error| error.to_string())
    };
    let row = "INSERT INTO t (a) VALUES (1);\n";
    for incomplete in [
        "",
        row,
        // mysqldump --no-autocommit commits after each table.
        &format!("set autocommit=0;\n{row}commit;\n"),
        &format!("START TRANSACTION;\n{row}"),
        &format!("START TRANSACTION;\nCOMMIT;\n{row}"),
        &format!("-- Dump completed\n{row}"),
        &format!("{row}-- Dump complete"),
        &format!("{row}/* -- Dump completed */"),
    ] {
        let message = read(incomplete).expect_err(incomplete);
        assert!(message.contains("the dump has no end"), "{message}");
    }
    for complete in [
        &format!("{row}-- Dump completed"),
        &format!("START TRANSACTION;\n{row}COMMIT;\n/*!40101 SET a=@b */;\n"),
    ] {
        assert_eq!(read(complete).expect(complete), ["t(1)"]);
    }
}

#[test]
fn one_table_twice_is_refused() {
    let create = "CREATE TABLE t (a int);";
    assert!(error(&format!("{create}{create}")).contains("in the dump twice"));
    let row = "INSERT INTO t (a) VALUES (1);";
    assert!(error(&format!("USE a; {row} USE b; {row}")).contains("in the dump twice"));
    assert!(
        error("INSERT INTO a.t (a) VALUES (1); INSERT INTO b.t (a) VALUES (1);").contains("twice")
    );
    assert!(
        read(&format!(
            "USE a; {row} INSERT INTO a.t (a) VALUES (1); {row}"
        ))
        .is_ok()
    );
}

#[test]
fn definitions_of_all_kinds_are_read() {
    let text = "CREATE OR REPLACE TABLE t (
        id bigint(20) UNSIGNED ZEROFILL PRIMARY KEY, `primary` double precision DEFAULT -1.5,
        `c``d` character varying(10) CHARACTER SET utf8mb4 DEFAULT concat('(',NULL) COMMENT 'x) NOT NULL',
        s set('a','b') NOT NULL, g int GENERATED ALWAYS AS ((`id` IS NOT NULL)) STORED,
        h int(11) DEFAULT NULL CHECK (json_valid(`h`)), n timestamp(3) NOT NULL /*!80023 INVISIBLE */,
        PRIMARY KEY (id), UNIQUE KEY k (`s`(10)), CONSTRAINT c FOREIGN KEY (g) REFERENCES `x` (`id`),
        PERIOD FOR SYSTEM_TIME (a, b)
    ) COMMENT='it''s; (' ENGINE=InnoDB;";
    let expected = "t: id bigint(20) unsigned zerofill, primary double precision?, \
                    c`d character varying(10)?, s set('a','b'), g int?, h int(11)?, n timestamp(3)";
    assert_eq!(read(text).expect("a table"), [expected]);
    assert_eq!(
        error("CREATE TABLE t LIKE u;"),
        "Line 1, table t: CREATE TABLE has no list of columns."
    );
}
