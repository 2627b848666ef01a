use std::ffi::OsString;
use std::io::{BufRead, BufReader, PipeWriter, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tokio::sync::watch;

use super::{ADMIN_KEY, Client, within};

/// The program under test: the one that was built with the tests, unless `STEWARD_TEST_PROGRAM`
/// names another.
pub fn program_path() -> OsString {
    let built = || env!("CARGO_BIN_EXE_steward").into();
    std::env::var_os("STEWARD_TEST_PROGRAM").unwrap_or_else(built)
}

/// A call of the program that has not started yet.
pub struct Call(Command);

impl Call {
    pub fn new(folder: &Path, args: &[&str]) -> Self {
        let mut command = Command::new(program_path());
        command
            .current_dir(folder)
            .args(args)
            // Files that a killed call leaves there are removed with the folder.
            .env("TMPDIR", folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // Options in the environment of the test run must not reach the program.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("STEWARD_") {
                command.env_remove(name);
            }
        }
        Self(command)
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.0.env(name, value);
        self
    }

    /// Sets the soft and the hard limit of open files.
    pub fn with_open_files(self, soft: u32, hard: u32) -> Self {
        let script = format!("ulimit -Sn {soft} && ulimit -Hn {hard} && exec \"$@\"");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, "sh"]);
        self.run_by(shell)
    }

    /// Mounts a small file system at `folder` for the call.
    pub fn on_small_disk(self, folder: &Path, size: &str) -> Self {
        let script = format!("mount -t tmpfs -o size={size} none \"$0\" && exec \"$@\"");
        let mut unshare = Command::new("unshare");
        unshare.args(["-rm", "sh", "-c", &script]).arg(folder);
        self.run_by(unshare)
    }

    /// Runs the call on a terminal, where standard output and standard error are one.
    pub fn on_terminal(self) -> Self {
        let words = [self.0.get_program()].into_iter().chain(self.0.get_args());
        let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        let mut script = Command::new("script");
        script
            .args(["--quiet", "--return", "--command"])
            .arg(format!("exec {}", words.join(" ")))
            .arg("terminal.txt");
        self.in_place_of(script)
    }

    /// A shell script in the folder and the environment of this call.
    pub fn in_shell(self, script: &str) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]);
        self.in_place_of(shell)
    }

    /// The same call as the last arguments of another program.
    fn run_by(self, mut other: Command) -> Self {
        other.arg(self.0.get_program()).args(self.0.get_args());
        self.in_place_of(other)
    }

    /// Another program in the folder and the environment of this call.
    fn in_place_of(self, mut other: Command) -> Self {
        let call = self.0;
        for (name, value) in call.get_envs() {
            match value {
                Some(value) => other.env(name, value),
                None => other.env_remove(name),
            };
        }
        other
            .current_dir(call.get_current_dir().expect("a call has a folder"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self(other)
    }

    /// Starts the service and waits until it is ready.
    pub async fn serve(self) -> Program {
        self.spawn().ready().await
    }

    pub async fn end(self) -> Ended {
        self.spawn().ended().await
    }

    /// Sets the text on standard input.
    pub fn stdin(mut self, text: &str) -> Self {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        // Shorter than what a pipe holds.
        writer.write_all(text.as_bytes()).expect("written");
        self.0.stdin(reader);
        self
    }

    /// Runs the call to its end with a closed standard output.
    pub async fn end_unread(self) -> Ended {
        self.end_with(closed_pipe()).await
    }

    /// Closes standard error as well.
    pub fn with_unread_stderr(mut self) -> Self {
        self.0.stderr(closed_pipe());
        self
    }

    /// Runs it to its end with this standard output.
    pub async fn end_with(mut self, stdout: impl Into<Stdio>) -> Ended {
        self.0.stdout(stdout);
        let ended = tokio::task::spawn_blocking(move || self.0.output());
        let ended = within(ended).await.expect("no panic").expect("it runs");
        Ended {
            code: ended.status.code(),
            stdout: String::new(),
            stderr: String::from_utf8(ended.stderr).expect("text"),
        }
    }

    /// Starts it without waiting.
    pub fn spawn(mut self) -> Program {
        let mut child = self.0.spawn().expect("the program runs");
        Program {
            stdout: Output::from(child.stdout.take().expect("a pipe")),
            stderr: Output::from(child.stderr.take().expect("a pipe")),
            address: String::new(),
            process: Process(child),
        }
    }
}

fn closed_pipe() -> PipeWriter {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer
}

/// The text from one output of the program. Waiting for more of it needs no polling.
struct Output(watch::Receiver<String>);

impl Output {
    fn from(pipe: impl Read + Send + 'static) -> Self {
        let (text, heard) = watch::channel(String::new());
        std::thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                text.send_modify(|text| {
                    text.push_str(&line);
                    text.push('\n');
                });
            }
        });
        Self(heard)
    }

    fn so_far(&self) -> String {
        self.0.borrow().clone()
    }

    async fn whole(&mut self) -> String {
        while self.0.changed().await.is_ok() {}
        self.so_far()
    }
}

/// Killed when dropped, so that a failing test leaves no process.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A running service.
pub struct Program {
    process: Process,
    /// `ADDRESS:PORT`
    pub address: String,
    stdout: Output,
    stderr: Output,
}

impl Program {
    /// Waits until it is ready.
    pub async fn ready(mut self) -> Self {
        let ready = |text: &String| text.contains('\n');
        if within(self.stdout.0.wait_for(ready)).await.is_err() {
            panic!("it did not start: {:?}", self.ended().await);
        }
        let output = self.stdout.so_far();
        let (first, _) = output.split_once('\n').unwrap_or_default();
        let origin = first.strip_prefix("listening on ");
        let (_, address) = origin
            .and_then(|origin| origin.split_once("://"))
            .expect("the first line names the address");
        self.address = address.into();
        self
    }

    pub fn admin(&self) -> Client {
        self.holder(ADMIN_KEY)
    }

    pub fn holder(&self, key: &str) -> Client {
        Client::new(&self.address, Some(key))
    }

    pub fn anonymous(&self) -> Client {
        Client::new(&self.address, None)
    }

    /// The part of standard error that `found` looks for, as soon as it appears.
    pub async fn wait_for_stderr<T>(&mut self, found: impl Fn(&str) -> Option<T>) -> T {
        let heard = self.stderr.0.wait_for(|text| found(text).is_some());
        let text = within(heard).await.expect("it is printed").clone();
        found(&text).expect("it was there")
    }

    /// The key that a first start prints.
    pub async fn first_key(&mut self) -> String {
        self.wait_for_stderr(|text| {
            let mut lines = text.lines().map(str::trim);
            let key = lines.find(|line| line.starts_with("stw_"))?.to_owned();
            // The curl line comes last.
            lines.any(|line| line.starts_with("curl ")).then_some(key)
        })
        .await
    }

    /// The first line of the log for which `wanted` holds.
    pub async fn logged(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        self.wait_for_stderr(|text| log_lines(text).into_iter().find(|line| wanted(line)))
            .await
    }

    /// The id of its process.
    pub fn id(&self) -> u32 {
        self.process.0.id()
    }

    /// Its resident memory in bytes.
    pub fn resident_memory(&self) -> u64 {
        let file = format!("/proc/{}/status", self.process.0.id());
        let status = std::fs::read_to_string(file).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        let kibibytes: u64 = kibibytes.expect("a size").parse().expect("a number");
        kibibytes << 10
    }

    /// Its soft limit of open files.
    pub fn open_files_limit(&self) -> u64 {
        let file = format!("/proc/{}/limits", self.process.0.id());
        let limits = std::fs::read_to_string(file).expect("it runs");
        let line = limits
            .lines()
            .find_map(|line| line.strip_prefix("Max open files"));
        let soft = line.and_then(|line| line.split_whitespace().next());
        soft.expect("a limit").parse().expect("a number")
    }

    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.process.0.id());
        let sent = Command::new("sh").args(["-c", &kill]).status();
        assert!(sent.expect("a shell").success());
    }

    /// Asks it to stop and waits until it has.
    pub async fn stop(self) -> Ended {
        self.signal("TERM");
        self.ended().await
    }

    /// Sends SIGKILL.
    pub fn kill(mut self) {
        self.process.0.kill().expect("it is killed");
        self.process.0.wait().expect("it is gone");
    }

    pub async fn ended(mut self) -> Ended {
        // Its outputs close when it ends.
        let stdout = within(self.stdout.whole()).await;
        let stderr = within(self.stderr.whole()).await;
        let status = self.process.0.wait().expect("it ends");
        Ended {
            code: status.code(),
            stdout,
            stderr,
        }
    }
}

/// How a call ended, and all its output.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// Asserts success. Returns what it printed.
    #[track_caller]
    pub fn ok(&self) -> &str {
        assert_eq!(self.code, Some(0), "{self:?}");
        &self.stdout
    }

    /// Asserts that it failed with this message and never reported that it was ready.
    #[track_caller]
    pub fn failed(&self, sentence: &str) {
        assert_eq!(self.code, Some(1), "{self:?}");
        assert_eq!(self.stdout, "");
        let last = self.stderr.lines().last();
        assert_eq!(last, Some(format!("steward: {sentence}").as_str()));
    }

    /// Asserts a usage error whose message contains these words.
    #[track_caller]
    pub fn misused(&self, words: &[&str]) {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert_eq!(self.stdout, "");
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} in {self:?}");
        }
    }

    pub fn log(&self) -> Vec<Value> {
        log_lines(&self.stderr)
    }
}

fn log_lines(text: &str) -> Vec<Value> {
    let parsed = text.lines().map(serde_json::from_str);
    parsed.filter_map(Result::ok).collect()
}
