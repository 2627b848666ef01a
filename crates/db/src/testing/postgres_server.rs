//! A PostgreSQL server for a single test, for actions that would disturb the shared server.

use std::fs::OpenOptions;
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::{OpenOptionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::free_port;

/// How long the server may take to start or stop. Generous, since the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);
const RETRY: Duration = Duration::from_millis(20);

/// Listens on a free port of 127.0.0.1 and trusts everyone there. Killed when dropped.
///
/// Commits are not flushed to the disk: a test kills the process, never the machine.
pub struct PostgresServer {
    // Declared before the folder, so that it ends before its files are removed.
    process: Option<Process>,
    folder: TempDir,
    port: u16,
    tools: Tools,
}

struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The programs of PostgreSQL, and the user who may run them: never root.
#[derive(Clone)]
struct Tools {
    folder: PathBuf,
    owner: Option<(u32, u32)>,
}

impl PostgresServer {
    /// Creates a server. `None` unless the tests run on PostgreSQL.
    pub fn create() -> Option<Self> {
        if std::env::var("STEWARD_TEST_ENGINE").as_deref() != Ok("postgres") {
            return None;
        }
        let server = Self::empty();
        let data = server.data();
        let data = data.to_str().expect("a path of text");
        server.tool(
            "initdb",
            &[
                "--pgdata",
                data,
                "--username=steward",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
            ],
        );
        Some(server)
    }

    /// A server without data.
    fn empty() -> Self {
        let tools = Tools::find();
        let folder = tempfile::tempdir().expect("a temporary folder");
        tools.give(folder.path());
        Self {
            process: None,
            folder,
            port: free_port(),
            tools,
        }
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self) -> String {
        format!("postgres://steward@127.0.0.1:{}/postgres", self.port)
    }

    /// Appends to postgresql.conf. The lines apply from the next start or [`Self::reload`].
    pub fn configure(&self, lines: &str) {
        self.append("postgresql.conf", lines);
    }

    /// Writes a file of the data folder that only the server can read.
    pub fn write(&self, name: &str, content: &str) {
        let file = self.data().join(name);
        let _ = std::fs::remove_file(&file);
        self.append(name, content);
    }

    fn append(&self, name: &str, content: &str) {
        let path = self.data().join(name);
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&path);
        writeln!(file.expect("opened"), "{content}").expect("written");
        self.tools.give(&path);
    }

    /// Starts the server and waits until it accepts connections.
    pub fn start(&mut self) {
        let end = Instant::now() + PATIENCE;
        let log = self.folder.path().join("log");
        // After a kill, the server cannot start again until its last child process has ended.
        while Instant::now() < end {
            let output = OpenOptions::new().append(true).create(true).open(&log);
            let child = self
                .tools
                .command("postgres")
                .arg("-D")
                .arg(self.data())
                .args(["-p", &self.port.to_string()])
                .args(["-c", "listen_addresses=127.0.0.1"])
                .args(["-c", "unix_socket_directories="])
                .args(["-c", "fsync=off", "-c", "full_page_writes=off"])
                .stderr(output.expect("a log"))
                .spawn();
            let mut process = Process(child.expect("PostgreSQL is installed"));
            while Instant::now() < end && matches!(process.0.try_wait(), Ok(None)) {
                if self.accepts() {
                    self.process = Some(process);
                    return;
                }
                std::thread::sleep(RETRY);
            }
        }
        let log = std::fs::read_to_string(log).unwrap_or_default();
        panic!("PostgreSQL did not start: {log}");
    }

    /// Returns `true` if the server answers, and not only its port.
    fn accepts(&self) -> bool {
        if TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            return false;
        }
        let mut ready = self.tools.command("pg_isready");
        ready.args(["--host=127.0.0.1", "--quiet"]);
        ready.args(["--port", &self.port.to_string()]);
        ready.status().is_ok_and(|status| status.success())
    }

    /// Makes the server reload its configuration.
    pub fn reload(&self) {
        self.control("reload", &[]);
    }

    /// Kills the server, as a crash would.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Shuts the server down, closing all connections.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            self.control("stop", &["--mode=fast"]);
            let _ = process.0.wait();
        }
    }

    /// Makes a standby accept writes.
    pub fn promote(&self) {
        self.control("promote", &["--wait"]);
    }

    /// Creates a standby of this server with the name `name`. It is not started.
    pub fn new_standby(&self, name: &str) -> Self {
        let standby = Self::empty();
        self.copy_to(&standby, name);
        standby
    }

    /// Makes `other`, which must not run, a standby of this server. Its old data are removed.
    pub fn copy_to(&self, other: &Self, name: &str) {
        let data = other.data();
        let _ = std::fs::remove_dir_all(&data);
        let data = data.to_str().expect("a path of text");
        let source = format!(
            "host=127.0.0.1 port={} user=steward application_name={name}",
            self.port
        );
        self.tool(
            "pg_basebackup",
            &[
                "--pgdata",
                data,
                "--dbname",
                &source,
                "--write-recovery-conf",
                "--checkpoint=fast",
                "--no-sync",
            ],
        );
    }

    fn control(&self, action: &str, options: &[&str]) {
        let data = self.data();
        let data = data.to_str().expect("a path of text");
        let mut all = vec![action, "--silent", "--pgdata", data];
        all.extend(options);
        self.tool("pg_ctl", &all);
    }

    fn tool(&self, name: &str, options: &[&str]) {
        let output = self.tools.command(name).args(options).output();
        let output = output.expect("PostgreSQL is installed");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {errors}");
    }
}

impl Tools {
    fn find() -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/postgres-bin");
        let folder = printed(Command::new(script)).expect("PostgreSQL is installed");
        // Only some of the programs may be symbolic links.
        let server = Path::new(&folder).join("postgres").canonicalize();
        let server = server.expect("PostgreSQL is installed");
        let is_root = rustix::process::geteuid().is_root();
        Self {
            folder: server.parent().expect("a folder").to_owned(),
            owner: is_root.then(|| ids("postgres").or(ids("nobody")).expect("a user")),
        }
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.folder.join(name));
        if let Some((user, group)) = self.owner {
            command.uid(user).gid(group);
        }
        // The user may not have access to the working directory of the test.
        command.current_dir("/").stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    fn give(&self, path: &Path) {
        if let Some((user, group)) = self.owner {
            chown(path, Some(user), Some(group)).expect("given to the owner of the server");
        }
    }
}

fn ids(name: &str) -> Option<(u32, u32)> {
    let id = |flag| {
        let mut command = Command::new("id");
        command.args([flag, name]);
        printed(command)?.parse().ok()
    };
    Some((id("-u")?, id("-g")?))
}

fn printed(mut command: Command) -> Option<String> {
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
