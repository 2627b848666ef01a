//! Values, names and comments.

use dump::{Item, Problem, Reader, Value};

use crate::{END, error, read, read_bytes, read_values};

#[test]
fn every_escape_of_a_string_is_decoded() {
    let text = r#"('\0\'\"\b\n\r\t\Z\\\%\_\x\ф''"'),("it""s '' \" '"),('')"#;
    let expected = [
        r#""\0'\"\u{8}\n\r\t\u{1a}\\\\%\\_xф'\"""#,
        r#""it\"s '' \" '""#,
        r#""""#,
    ];
    assert_eq!(read_values(text).expect("values"), expected);
}

#[test]
fn numbers_are_exact_text() {
    let text = "(0),(-12),(+7),(1.10),(-.5),(1e20),(1.5E-07),(99999999999999999999999),( - 1 )";
    let expected = [
        "0",
        "-12",
        "7",
        "~1.10",
        "~-.5",
        "~1e20",
        "~1.5E-07",
        "99999999999999999999999",
        "-1",
    ];
    assert_eq!(read_values(text).expect("values"), expected);
}

#[test]
fn hexadecimal_bit_and_binary_values_are_bytes() {
    let text = "(0xff00),(0xABC),(x'0aFF'),(X''),(b'01001010'),(B'1'),(0b100000001),(_binary 'a\\0'),\
                (_binary 0x41),(_utf8mb4'a'),(NULL),(null)";
    let expected = [
        "[ff, 0]", "[a, bc]", "[a, ff]", "[]", "[4a]", "[1]", "[1, 1]", "[61, 0]", "[41]", "\"a\"",
        "NULL", "NULL",
    ];
    assert_eq!(read_values(text).expect("values"), expected);
    for malformed in ["(0x)", "(x'abc')", "(x'zz')", "(b'2')", "(0b)", "(0b12)"] {
        assert_eq!(
            read_values(malformed).expect_err(malformed),
            "Line 1, table t: a hexadecimal or bit value is malformed."
        );
    }
}

#[test]
fn expressions_are_refused() {
    for text in [
        "(NOW())",
        "(1+1)",
        "('a' 'b')",
        "(DEFAULT)",
        "(TRUE)",
        "(a)",
        "(@x)",
        "(_latin1'a')",
        "((1))",
        "(-'1')",
        "(1abc)",
        "(CONCAT('a'))",
        "(`a`)",
        "(1,)",
        "()",
        "(NULL IS NULL)",
        "(--1)",
        "(N'a')",
        "(1;",
    ] {
        let message = read_values(text).expect_err(text);
        let is_width = message.contains("a row has more values");
        assert!(
            is_width || message.contains("expressions are not evaluated"),
            "{message}"
        );
    }
}

#[test]
fn a_row_of_the_wrong_width_is_an_error() {
    let table = "CREATE TABLE t (a int, b int);\n";
    assert_eq!(
        error(&format!("{table}INSERT INTO t VALUES (1,2),\n(3);")),
        "Line 3, table t: a row has 1 values, but there are 2 columns."
    );
    assert_eq!(
        error(&format!("{table}INSERT INTO t VALUES (1,2,3);")),
        "Line 2, table t: a row has more values, but there are 2 columns."
    );
    // The columns of the statement are those that count.
    assert!(read(&format!("{table}INSERT INTO t (b) VALUES (1);")).is_ok());
    assert_eq!(
        error("INSERT INTO t VALUES (1);"),
        "Line 1, table t: the rows name no columns, and no CREATE TABLE comes before them."
    );
}

#[test]
fn names_are_matched_in_any_case_and_form() {
    let text = "create table if not exists `Db`.`A``b` (Id int NOT NULL, `key` int);
        insert ignore into DB.`a``B` (ID, `KEY`) values (1, 2);
        REPLACE INTO `a``b` VALUE (3, 4);"
        .replace("DB.", "`Db`.");
    let text = format!("{text}{END}");
    let mut reader = Reader::new(text.as_bytes())
        .expect("a dump")
        .only(|name| name == "a`b");
    let mut sum = 0;
    while let Some(item) = reader.next().expect("an item") {
        if let Item::Row(row) = item {
            for column in ["iD", "Key"] {
                sum += row.integer(column).expect("a column").expect("a number");
            }
            let missing = row.get("x").expect_err("no column").to_string();
            assert!(missing.ends_with("the column x is missing."), "{missing}");
        }
    }
    assert_eq!(sum, 10);
}

#[test]
fn comments_are_skipped_and_conditional_ones_are_executed() {
    let text =
        "/*M!999999\\- enable the sandbox mode */ \n# one ; '\n-- two ; '\n--\n/* three ; ' */
        /*!999999 INSERT INTO t (a) VALUES (0); */
        /*!40101 INSERT INTO t (a) VALUES (1) */;
        /*M!100100 INSERT INTO t (a) VALUES (2) */;
        /*! INSERT INTO t (a) VALUES (3) */;
        INSERT INTO t /* ) */ (a) -- (
        VALUES (/**/4/***/),#
        (5 /*!50003 ) /* , */ , ( 6 */ );
        INSERT INTO t (a) VALUES (1--1);";
    let message = error(text);
    assert!(
        message.starts_with("Line 13") && message.contains("expressions"),
        "{message}"
    );
    let complete = text.replace("(1--1)", "(7--\n)");
    let expected: Vec<String> = (1..=7).map(|number| format!("t({number})")).collect();
    assert_eq!(read(&complete).expect("rows"), expected);
}

#[test]
fn bytes_of_a_text_are_decoded_only_when_asked_for() {
    let text = b"INSERT INTO t (a) VALUES ('\xff');\n-- Dump completed";
    let mut reader = Reader::new(text.as_slice()).expect("a dump");
    let Some(Item::Row(row)) = reader.next().expect("an item") else {
        panic!("no row");
    };
    assert_eq!(row.get("a").expect("a column"), Value::Text(b"\xff"));
    let error = row.text("a").expect_err("not UTF-8").to_string();
    assert_eq!(error, "Line 1, table t: the column a is not UTF-8.");
}

#[test]
fn integers_are_decoded_exactly_or_refused() {
    let values = "1,'-5',NULL,9223372036854775808,'1.5','',1.0,0x31";
    let text = format!("INSERT INTO t (a,b,c,d,e,f,g,h) VALUES ({values});{END}");
    let mut reader = Reader::new(text.as_bytes()).expect("a dump");
    let Some(Item::Row(row)) = reader.next().expect("an item") else {
        panic!("no row");
    };
    let integer = |column| row.integer(column).map_err(|error| error.problem);
    assert!(matches!(integer("a"), Ok(Some(1))));
    assert!(matches!(integer("b"), Ok(Some(-5))));
    assert!(matches!(integer("c"), Ok(None)));
    assert!(matches!(integer("d"), Err(Problem::IntegerRange(_))));
    for column in ["e", "f", "g", "h"] {
        assert!(
            matches!(integer(column), Err(Problem::NotAnInteger(_))),
            "{column}"
        );
    }
    assert_eq!(row.text("d").expect("a text"), Some("9223372036854775808"));
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_are_accepted() {
    let text = "\u{feff}-- MySQL dump\r\nDELIMITER //\r\nCREATE PROCEDURE p() x; //\r\nDELIMITER ;\r\n\
                INSERT INTO t (a) VALUES\r\n(1);\r\n-- Dump completed\r\n";
    assert_eq!(read_bytes(text.as_bytes()).expect("rows"), ["t(1)"]);
}
