//! The limit of open files, which connections count against.

use kernel::Limits;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::error::Result;

/// Files for the database and its readers, the log and the runtime.
const RESERVED: usize = 80;
/// The service is useless with fewer connections.
const LEAST_CONNECTIONS: usize = 16;
/// The fraction (one in four) of the remaining files that serves to refuse further connections.
const REFUSALS_SHARE: usize = 4;

/// Raises the soft limit to the hard one, which needs no privilege; returns the limit.
pub fn raise_limit() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    }
}

/// Lowers the limits of connections to what `open_files` allows. A connection without a free file
/// waits unanswered, but one above `--max-connections` gets 503. `others` is the number of files
/// that the options allow for other purposes.
pub fn fit(limits: &mut Limits, open_files: Option<u64>, others: usize) -> Result {
    let Some(open_files) = open_files else {
        return Ok(());
    };
    let left = usize::try_from(open_files).unwrap_or(usize::MAX);
    let left = left.saturating_sub(RESERVED + others);
    let refusals = limits.refusals.min(left / REFUSALS_SHARE);
    let connections = limits.connections.min(left - refusals);
    if connections < LEAST_CONNECTIONS.min(limits.connections) {
        return Err(format!(
            "this process may open only {open_files} files, which leaves {connections} for \
             connections; raise the limit (ulimit -n, or LimitNOFILE= of systemd)"
        )
        .into());
    }
    if connections < limits.connections {
        tracing::warn!(
            wanted = limits.connections,
            connections,
            open_files,
            "the limit of open files allows fewer connections than --max-connections"
        );
    }
    // One address keeps its fraction of the connections.
    let share = limits.connections_per_address * connections / limits.connections;
    limits.connections_per_address = share.max(1);
    limits.refusals = refusals;
    limits.connections = connections;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(connections: usize, open_files: Option<u64>) -> Result<(usize, usize)> {
        let mut limits = Limits {
            connections,
            connections_per_address: connections / 2,
            ..Limits::default()
        };
        fit(&mut limits, open_files, 100)?;
        assert_eq!(limits.connections_per_address, limits.connections / 2);
        Ok((limits.connections, limits.refusals))
    }

    #[test]
    fn connections_are_lowered_to_what_the_limit_of_open_files_allows() {
        for (connections, open_files, expected) in [
            (1024, None, (1024, 256)),
            (1024, Some(1_000_000), (1024, 256)),
            (1024, Some(1024 + 256 + 180), (1024, 256)),
            (1024, Some(1024 + 256 + 179), (1023, 256)),
            (1024, Some(1024), (633, 211)),
            (1024, Some(260), (60, 20)),
            (8, Some(200), (8, 5)),
            (100_000, Some(u64::MAX), (100_000, 256)),
        ] {
            let found = fitted(connections, open_files).expect("it fits");
            assert_eq!(found, expected, "{connections} of {open_files:?}");
        }
        for too_few in [0, 100, 180, 190] {
            let error = fitted(1024, Some(too_few)).expect_err("too few");
            assert!(error.to_string().contains("raise the limit"), "{error}");
        }
    }
}
