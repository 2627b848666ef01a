/// Receives the progress of long work.
pub trait Progress {
    /// Begins the next kind of row, of which there are `total`.
    fn begin(&mut self, what: &'static str, total: u64);
    /// Reports that `by` more rows are done.
    fn advance(&mut self, by: u64);
}
