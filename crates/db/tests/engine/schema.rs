//! Compares the schemas of both engines, in one notation, with one file. `UPDATE_SCHEMA=1` rewrites
//! the file. Trigram indexes are left out: on SQLite they are a table.

use std::fmt::Write;

use db::Db;

use crate::support::migrated;

/// Each query returns: table, kind of line, position among its kind, line.
const SQLITE: &str = "
WITH tables AS (
    SELECT name FROM pragma_table_list
    WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'
), indexes AS (
    SELECT t.name AS tbl, i.name, i.origin, i.\"unique\" AS uniq,
        (SELECT group_concat(c.name, ', ' ORDER BY c.seqno) FROM pragma_index_info(i.name) c)
            AS columns
    FROM tables t JOIN pragma_index_list(t.name) i WHERE i.origin <> 'pk'
)
SELECT t.name, 0, c.cid, c.name || ' ' || lower(c.type) || iif(c.\"notnull\", '', ' null')
FROM tables t JOIN pragma_table_info(t.name) c
UNION ALL
SELECT t.name, 1, 0, 'primary key (' || group_concat(c.name, ', ' ORDER BY c.pk) || ')'
FROM tables t JOIN pragma_table_info(t.name) c WHERE c.pk > 0 GROUP BY t.name
UNION ALL
SELECT t.name, 2, 0, 'foreign key ' || f.\"from\" || ' references ' || f.\"table\"
    || ' on delete ' || lower(f.on_delete)
FROM tables t JOIN pragma_foreign_key_list(t.name) f
UNION ALL
SELECT tbl, 3, 0, iif(uniq, 'unique ', 'index ')
    || iif(origin = 'u', tbl || '_' || replace(columns, ', ', '_') || '_key', name)
    || ' (' || columns || ')'
FROM indexes";

const POSTGRES: &str = "
WITH tables AS (
    SELECT oid, relname::text AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
), keys AS (
    SELECT t.name AS tbl, k.contype, k.confrelid, k.confdeltype,
        (SELECT string_agg(a.attname, ', ' ORDER BY n.place)
         FROM unnest(k.conkey) WITH ORDINALITY n (att, place)
         JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = n.att) AS columns
    FROM tables t JOIN pg_constraint k ON k.conrelid = t.oid
)
SELECT t.name, 0::bigint, a.attnum::bigint, a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
    || CASE WHEN a.attnotnull THEN '' ELSE ' null' END
FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid WHERE a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT tbl, 1, 0, 'primary key (' || columns || ')' FROM keys WHERE contype = 'p'
UNION ALL
SELECT k.tbl, 2, 0, 'foreign key ' || k.columns || ' references ' || p.relname || ' on delete '
    || CASE k.confdeltype WHEN 'a' THEN 'no action' WHEN 'r' THEN 'restrict' WHEN 'c' THEN 'cascade'
       WHEN 'n' THEN 'set null' ELSE 'set default' END
FROM keys k JOIN pg_class p ON p.oid = k.confrelid WHERE k.contype = 'f'
UNION ALL
SELECT t.name, 3, 0, CASE WHEN i.indisunique THEN 'unique ' ELSE 'index ' END || c.relname || ' ('
    || (SELECT string_agg(a.attname, ', ' ORDER BY n.place)
        FROM unnest(i.indkey::smallint[]) WITH ORDINALITY n (att, place)
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = n.att) || ')'
FROM tables t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_am m ON m.oid = c.relam
WHERE NOT i.indisprimary AND m.amname <> 'gin'";

/// The engines' names of a type, and the name in the file.
const TYPES: &[(&str, &str)] = &[
    ("bigint", "integer"),
    ("integer", "integer"),
    ("text", "text"),
    ("blob", "bytes"),
    ("bytea", "bytes"),
    ("boolean", "boolean"),
];

fn with_shared_type(column: &str) -> String {
    let mut words: Vec<&str> = column.split(' ').collect();
    let found = TYPES.iter().find(|(name, _)| words.get(1) == Some(name));
    let (_, shared) = found.unwrap_or_else(|| panic!("a type that only one engine has: {column}"));
    words[1] = shared;
    words.join(" ")
}

async fn describe(db: &Db) -> String {
    let sql = if db.on_postgres() { POSTGRES } else { SQLITE };
    let mut read = db.read().await.expect("a reader");
    let mut lines: Vec<(String, i64, i64, String)> = read
        .query(sql, &[], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .await
        .expect("the schema can be read");
    for (_, kind, _, line) in &mut lines {
        if *kind == 0 {
            *line = with_shared_type(line);
        }
    }
    lines.sort();
    let mut text = String::new();
    let mut current = "";
    for (table, _, _, line) in &lines {
        if table != current {
            writeln!(text, "{table}").expect("writing to a string cannot fail");
            current = table;
        }
        writeln!(text, "    {line}").expect("writing to a string cannot fail");
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn both_engines_have_the_schema_of_the_file() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engine/schema.txt");
    let (_scratch, db) = migrated().await;
    let found = describe(&db).await;
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(path, &found).expect("the file is written");
    }
    let expected = std::fs::read_to_string(path).expect("the file can be read");
    assert!(
        found == expected,
        "the schema differs from {path}; run with UPDATE_SCHEMA=1 to accept it\n{found}"
    );
}

/// SQLite reports the columns of a violated constraint, from which the name is derived.
#[test]
fn unique_constraints_are_named_after_their_table_and_columns() {
    let mut table = "";
    let mut found = 0;
    for line in include_str!("schema.txt").lines() {
        match line.strip_prefix("    unique ") {
            None if !line.starts_with(' ') => table = line,
            None => {}
            Some(unique) => {
                let (name, columns) = unique.split_once(" (").expect("a name and columns");
                let columns = columns.trim_end_matches(')').replace(", ", "_");
                assert_eq!(name, format!("{table}_{columns}_key"));
                found += 1;
            }
        }
    }
    assert!(found > 0, "no unique constraint was found");
}
