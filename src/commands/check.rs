//! `steward check`: reports the state of the installation without changing it.

use accounts::sign_in::ReturnTo;
use db::Db;
use kernel::secret::{KeyFile, SecretKey};

use crate::error::{self, Result};
use crate::options::Options;
use crate::output::{Unwritable, print_line};
use crate::startup::{self, Exposed};

enum Finding {
    Ok(String),
    /// The service would start.
    Warning(String),
    Wrong(String),
}

impl Finding {
    fn of(outcome: std::result::Result<String, impl ToString>) -> Self {
        match outcome {
            Ok(text) => Self::Ok(text),
            Err(error) => Self::Wrong(error.to_string()),
        }
    }

    fn print(&self, subject: &str) -> std::result::Result<(), Unwritable> {
        let (word, text) = match self {
            Self::Ok(text) => ("ok", text),
            Self::Warning(text) => ("warn", text),
            Self::Wrong(text) => ("WRONG", text),
        };
        print_line!("{subject:11} {word:6} {text}")
    }
}

pub async fn run(options: &Options) -> Result {
    let findings = check(options).await;
    let wrong = |(_, finding): &&(_, Finding)| matches!(finding, Finding::Wrong(_));
    let failed = findings.iter().filter(wrong).count();
    let printed = findings
        .iter()
        .try_for_each(|(subject, finding)| finding.print(subject));
    match failed {
        0 => Ok(printed?),
        // Fail even if stdout is closed.
        1 => Err("1 check failed".into()),
        more => Err(format!("{more} checks failed").into()),
    }
}

async fn check(options: &Options) -> Vec<(&'static str, Finding)> {
    let program = Finding::Ok(format!("steward {}", kernel::VERSION));
    let mut findings = vec![("program", program)];
    if let Some(finding) = check_admin_key(options) {
        findings.push(("admin key", finding));
    }
    if let Some(finding) = check_certificate(options) {
        findings.push(("certificate", finding));
    }
    for (subject, finding) in check_sign_in(options) {
        findings.push((subject, finding));
    }
    for Exposed { path, mode, advice } in startup::exposed_files(options) {
        let text = format!("{}: mode {mode}: {advice}", path.display());
        findings.push(("access", Finding::Warning(text)));
    }
    let file = KeyFile::new(options.secret_key_file());
    let key = file.load();
    let path = file.path().display();
    let loaded = match &key {
        Ok(_) => Ok(path.to_string()),
        Err(error) => Err(format!("{path}: {error}")),
    };
    findings.push(("key file", Finding::of(loaded)));
    let db = match open(options).await {
        Ok(db) => db,
        Err(error) => {
            findings.push(("database", Finding::Wrong(error.to_string())));
            return findings;
        }
    };
    let url = options.database_url();
    let version = db.version().await;
    let version = version.map(|version| format!("{url} ({version})"));
    findings.push(("database", Finding::of(version)));
    findings.push(("migrations", Finding::of(check_migrations(&db).await)));
    if let Ok(key) = &key {
        let finding = check_secret_key(&db, key, &file).await;
        findings.push(("secret key", Finding::of(finding)));
    }
    findings
}

fn check_admin_key(options: &Options) -> Option<Finding> {
    match startup::admin_key(options) {
        Ok(None) => None,
        Ok(Some(_)) => Some(Finding::Ok("chosen".into())),
        Err(error) => Some(Finding::Wrong(error.to_string())),
    }
}

fn check_certificate(options: &Options) -> Option<Finding> {
    let (certificate, _) = options.tls_files()?;
    let loaded = startup::certificates(options);
    let loaded = loaded.map(|_| certificate.display().to_string());
    Some(Finding::of(loaded))
}

/// Whether the settings of each provider of profiles are complete.
fn check_sign_in(options: &Options) -> Vec<(&'static str, Finding)> {
    let pages = || {
        let pages = options.sign_in_return_to.iter().map(ReturnTo::as_str);
        pages.collect::<Vec<_>>().join(", ")
    };
    let finding = |settings: Result<Option<()>>| match settings {
        Ok(None) => None,
        Ok(Some(())) => Some(Finding::Ok(format!("signs in, and returns to {}", pages()))),
        Err(error) => Some(Finding::Wrong(error.to_string())),
    };
    let steam = startup::steam(options).map(|steam| steam.map(|_| ()));
    let discord = startup::discord(options).map(|discord| discord.map(|_| ()));
    let found = [("steam", finding(steam)), ("discord", finding(discord))].into_iter();
    let mut findings: Vec<(&'static str, Finding)> = found
        .filter_map(|(subject, finding)| Some((subject, finding?)))
        .collect();
    for (option, address) in startup::replaced_providers(options) {
        let address = address.url();
        let text = format!("{option} is set: who answers at {address} can sign in as anybody");
        findings.push(("sign-in", Finding::Warning(text)));
    }
    findings
}

/// Opens the database as it is: never creates one, and never waits for one.
async fn open(options: &Options) -> Result<Db> {
    startup::require_database(options)?;
    let url = options.database_url();
    let opened = Db::open(&url, &options.database()).await;
    Ok(opened.map_err(|error| format!("{url}: {}", error::with_causes(&error)))?)
}

async fn check_migrations(db: &Db) -> std::result::Result<String, db::Error> {
    let state = db.schema_state().await?;
    Ok(match state.known - state.applied {
        0 => format!("all {} applied", state.known),
        pending => format!(
            "{pending} of {} to be applied at the next start",
            state.known
        ),
    })
}

async fn check_secret_key(
    db: &Db,
    key: &SecretKey,
    file: &KeyFile,
) -> std::result::Result<String, String> {
    match kernel::secret::secret_key_fits(db, key).await {
        Ok(Some(true)) => Ok("the one this database was written under".into()),
        Ok(Some(false)) => match file.load_new() {
            Ok(Some(new))
                if matches!(
                    kernel::secret::secret_key_fits(db, &new).await,
                    Ok(Some(true))
                ) =>
            {
                Ok("the next start replaces it by the new one".into())
            }
            _ => Err("not the one this database was written under".into()),
        },
        Ok(None) => Ok("the database has none yet".into()),
        Err(error) => Err(error::cause(error.into()).to_string()),
    }
}
