//! Whole dumps, in each form.

use std::collections::BTreeMap;

use dump::{Item, Reader, Value};

use crate::{Slow, read_all};

const MARIADB: &[u8] = include_bytes!("../../../../tests/flute/small.sql");
const PHPMYADMIN: &[u8] = include_bytes!("../../../../tests/flute/small-phpmyadmin.sql");
const MYSQL: &[u8] = include_bytes!("../data/mysqldump.sql");

/// The rows of each table, as maps of the columns.
type Rows = BTreeMap<String, Vec<BTreeMap<String, Option<Vec<u8>>>>>;

fn rows(dump: &[u8]) -> Rows {
    let mut reader = Reader::new(dump).expect("a dump");
    let mut rows = Rows::new();
    while let Some(item) = reader.next().expect("an item") {
        match item {
            Item::Table(table) => drop(rows.insert(table.name.clone(), Vec::new())),
            Item::Row(row) => {
                let values = row.values().map(|value| value.bytes().map(<[u8]>::to_vec));
                let row_of = row.columns().iter().cloned().zip(values).collect();
                rows.entry(row.table().to_owned()).or_default().push(row_of);
                assert_eq!(reader.time_zone(), Some("+00:00"));
            }
        }
    }
    rows
}

#[test]
fn all_rows_of_mariadb_dump_and_of_phpmyadmin_are_the_same() {
    let mut mariadb = rows(MARIADB);
    let mut phpmyadmin = rows(PHPMYADMIN);
    assert_eq!(mariadb.len(), 51);
    assert_eq!(mariadb.values().map(Vec::len).sum::<usize>(), 1007);
    // Bits are raw bytes in one and b'…' in the other; both are read as bytes.
    assert_eq!(mariadb.len(), phpmyadmin.len());
    for (table, rows) in &mut mariadb {
        let others = phpmyadmin.get_mut(table).expect("the same tables");
        rows.sort();
        others.sort();
        assert_eq!(rows, others, "{table}");
    }
}

#[test]
fn odd_rows_of_a_real_dump_are_read_exactly() {
    for dump in [MARIADB, PHPMYADMIN] {
        let mut reader = Reader::new(dump)
            .expect("a dump")
            .only(|table| table == "flute_users");
        let mut names = BTreeMap::new();
        while let Some(item) = reader.next().expect("an item") {
            match item {
                Item::Table(table) => {
                    let column = |name| table.column(name).expect("a column").clone();
                    assert_eq!(column("ID").kind, "int(11)");
                    assert!(!column("id").nullable);
                    assert_eq!(column("login").kind, "varchar(255)");
                    assert!(column("login").nullable);
                    assert!(column("balance").kind.starts_with("decimal("));
                }
                Item::Row(row) => {
                    let id = row.integer("Id").expect("an integer").expect("an id");
                    let name = row.text("NAME").expect("a text").expect("a name");
                    names.insert(id, name.to_owned());
                    if id == 29 {
                        let deleted = row.get("deleted_at").expect("a column");
                        assert_eq!(deleted, Value::Text(b"0000-00-00 00:00:00"));
                    }
                    if id == 1 {
                        assert!(row.get("deleted_at").expect("a column") == Value::Null);
                    }
                }
            }
        }
        assert_eq!(names.len(), 62);
        assert_eq!(names[&19].chars().count(), 255);
        assert_eq!(names[&20].len(), 1020);
        assert!(names[&8].ends_with('\\'), "{}", names[&8]);
        assert!(names[&9].contains('\n') && names[&9].contains('\r') && names[&9].contains('\t'));
        assert!(names[&10].contains('\0') && names[&10].contains('\x1a'));
    }
}

#[test]
fn a_dump_of_mysqldump_is_read() {
    let rows = read_all(Reader::new(MYSQL).expect("a dump")).expect("rows");
    let expected = [
        "sb_bans: bid int, ip varchar(32)?, authid varchar(64), name varchar(128), created int, \
         length int, price decimal(10,2) unsigned?, type enum('ban','it''s','a,b)')?, data blob?, \
         day date?",
        r#"sb_bans(1,NULL,"STEAM_0:1:1500","O'Neil; DROP -- x",1600000000,0,~12.50,"ban",[0, 27, 5c, a])"#,
        r#"sb_bans(2,"192.0.2.1","","Кот 🔥",1600000001,-60,NULL,"it's",NULL)"#,
        r#"sb_bans(3,"192.0.2.2","[U:1:3001]","),(",1600000002,18446744073709551615,~-1e-07,"a,b)",[ff, fe, 0])"#,
        "sb_log: lid int unsigned, message text, created timestamp?",
        r#"sb_log(1,"a \"quoted\" \\ path","0000-00-00 00:00:00")"#,
        r#"sb_log(2,"",NULL)"#,
    ];
    assert_eq!(rows, expected);
}

#[test]
fn dumps_read_byte_by_byte_are_the_same() {
    for dump in [MARIADB, PHPMYADMIN, MYSQL] {
        let slow = read_all(Reader::new(Slow(dump)).expect("a dump")).expect("rows");
        let whole = read_all(Reader::new(dump).expect("a dump")).expect("rows");
        assert!(slow == whole);
    }
}

#[test]
fn a_dump_cut_off_anywhere_before_its_end_is_an_error() {
    for (dump, end, step) in [
        (MYSQL, "-- Dump completed", 1),
        (MARIADB, "-- Dump completed", 20_011),
        (PHPMYADMIN, "COMMIT;", 20_011),
    ] {
        let length = dump.len();
        let end = length - 400 + position(&dump[length - 400..], end.as_bytes()) + end.len();
        for length in (0..end).step_by(step).chain([end - 1]) {
            let result = Reader::new(&dump[..length]).and_then(read_all);
            assert!(result.is_err(), "{length} of {end}");
        }
        assert!(Reader::new(&dump[..end]).and_then(read_all).is_ok());
    }
}

fn position(bytes: &[u8], wanted: &[u8]) -> usize {
    let mut windows = bytes.windows(wanted.len());
    windows
        .position(|window| window == wanted)
        .expect("it is there")
}
