use super::TestApp;

impl TestApp {
    /// Everything in the database, to look for what must not be there.
    pub async fn everything_stored(&self) -> Vec<u8> {
        if !self.core().db.on_postgres() {
            let files = self.scratch.files().into_iter();
            return files
                .flat_map(|file| std::fs::read(file).expect("its bytes"))
                .collect();
        }
        let mut read = self.core().db.read_alone().await.expect("a reader");
        let tables: Vec<String> = read
            .query(
                "SELECT table_name::text FROM information_schema.tables
                 WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'",
                &[],
                |row| row.get(0),
            )
            .await
            .expect("the tables");
        let mut all = Vec::new();
        for table in tables {
            let sql = format!("SELECT CAST(t AS TEXT) FROM {table} t");
            let rows: Vec<String> = read
                .query(sql.leak(), &[], |row| row.get(0))
                .await
                .expect("all rows");
            all.extend(rows.concat().into_bytes());
        }
        all
    }
}

/// Whether the bytes are somewhere in these.
pub fn holds(haystack: &[u8], needle: &[u8]) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle)
}
