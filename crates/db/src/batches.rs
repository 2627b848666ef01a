use crate::{Db, Result, Value};

impl Db {
    /// Repeats a statement, each time in its own transaction, until it changes fewer than `size`
    /// rows. Deleting many rows this way holds no lock for long.
    ///
    /// `size` is bound as one more parameter after `params`, for the `LIMIT` of the statement. If a
    /// batch fails, the ones before it stay committed.
    pub async fn execute_in_batches(
        &self,
        sql: &'static str,
        params: &[Value<'_>],
        size: i64,
    ) -> Result<()> {
        let mut params = params.to_vec();
        params.push(size.into());
        loop {
            let mut tx = self.begin().await?;
            let changed = tx.execute(sql, &params).await?;
            tx.commit().await?;
            if changed < size.unsigned_abs() {
                return Ok(());
            }
        }
    }
}
