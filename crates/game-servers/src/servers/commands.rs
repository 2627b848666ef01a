use kernel::queue::Queue;

/// The queue of commands for consoles: one line for each server, in which one command after another
/// is sent. A crash gives a command back after 60 seconds.
pub const COMMANDS: Queue = Queue::one_by_one("commands", 60_000);
