//! Metrics of this process from `/proc`, under the names that all Prometheus clients use. They are
//! read when `/metrics` is. Without `/proc`, there are none.

use std::fs;

use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{Resource, getrlimit};

use crate::metrics::{Kind, MetricText};

pub fn add_to(text: &mut MetricText) {
    if let Some(stat) = read_stat() {
        add_stat(text, &stat);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        // One of them is the descriptor of the folder that is being read.
        let open = open.count().saturating_sub(1);
        let name = "process_open_fds";
        text.begin(name, Kind::Gauge, "Open files and connections.");
        text.add(name, &[], open);
    }
    if let Some(most) = getrlimit(Resource::Nofile).current {
        let name = "process_max_fds";
        text.begin(name, Kind::Gauge, "Limit of open files and connections.");
        text.add(name, &[], most);
    }
}

fn add_stat(text: &mut MetricText, stat: &Stat) {
    let ticks = clock_ticks_per_second();
    let name = "process_cpu_seconds_total";
    text.begin(name, Kind::Counter, "Processor time used, in seconds.");
    text.add(name, &[], stat.cpu_ticks as f64 / ticks as f64);
    let name = "process_resident_memory_bytes";
    text.begin(name, Kind::Gauge, "Memory in use, in bytes.");
    text.add(name, &[], stat.resident_pages * page_size() as u64);
    let name = "process_virtual_memory_bytes";
    text.begin(name, Kind::Gauge, "Address space in use, in bytes.");
    text.add(name, &[], stat.virtual_bytes);
    let name = "process_threads";
    text.begin(name, Kind::Gauge, "Threads of the process.");
    text.add(name, &[], stat.threads);
}

#[derive(Debug, PartialEq, Eq)]
struct Stat {
    cpu_ticks: u64,
    threads: u64,
    virtual_bytes: u64,
    resident_pages: u64,
}

fn read_stat() -> Option<Stat> {
    parse_stat(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// Parses a line whose fields are numbered as in proc_pid_stat(5).
fn parse_stat(line: &str) -> Option<Stat> {
    // The second field is the program's name in parentheses, which may contain any character.
    let (_, rest) = line.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    Some(Stat {
        cpu_ticks: field(14)? + field(15)?,
        threads: field(20)?,
        virtual_bytes: field(23)?,
        resident_pages: field(24)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_proc_stat_are_found_after_any_name() {
        let line = "4711 (a) b (c) S 1 4711 4711 0 -1 4194560 900 0 1 0 250 50 0 0 20 0 9 0 12345 \
                    1048576 300 18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0\n";
        let expected = Stat {
            cpu_ticks: 300,
            threads: 9,
            virtual_bytes: 1_048_576,
            resident_pages: 300,
        };
        assert_eq!(parse_stat(line), Some(expected));
        for wrong in ["", "4711 (a) S 1 2", "4711 a S"] {
            assert_eq!(parse_stat(wrong), None, "{wrong}");
        }
    }
}
