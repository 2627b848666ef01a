//! `steward check`: reports the state of the installation without changing it.

use db::{DatabaseUrl, Db};
use kernel::secret::{KeyFile, SecretKey};

use crate::error::{self, Result};
use crate::options::Options;
use crate::output::print_line;

type Finding = std::result::Result<String, String>;

pub async fn run(options: &Options) -> Result {
    let findings = check(options).await;
    let failed = findings.iter().filter(|(_, finding)| finding.is_err());
    let failed = failed.count();
    let printed = findings
        .iter()
        .try_for_each(|(subject, finding)| match finding {
            Ok(finding) => print_line!("{subject:11} ok     {finding}"),
            Err(finding) => print_line!("{subject:11} WRONG  {finding}"),
        });
    match failed {
        0 => Ok(printed?),
        // Also if nobody reads the findings.
        1 => Err("1 check failed".into()),
        more => Err(format!("{more} checks failed").into()),
    }
}

async fn check(options: &Options) -> Vec<(&'static str, Finding)> {
    let mut findings = vec![("program", Ok(format!("steward {}", kernel::VERSION)))];
    let file = KeyFile::new(options.secret_key_file());
    let key = file.load();
    let path = file.path().display();
    let finding = match &key {
        Ok(_) => Ok(path.to_string()),
        Err(error) => Err(format!("{path}: {error}")),
    };
    findings.push(("key file", finding));
    let url = options.database_url();
    if let DatabaseUrl::Sqlite(path) = &url
        && !path.exists()
    {
        // Opening it would create it.
        findings.push(("database", Err(format!("{url}: there is no such file"))));
        return findings;
    }
    // It reports what is, so it does not wait.
    let db = match Db::open(&url, &options.database()).await {
        Ok(db) => db,
        Err(error) => {
            findings.push(("database", Err(format!("{url}: {error}"))));
            return findings;
        }
    };
    let version = db.version().await.map_err(|error| error.to_string());
    let version = version.map(|version| format!("{url} ({version})"));
    findings.push(("database", version));
    findings.push(("migrations", check_migrations(&db).await));
    if let Ok(key) = &key {
        findings.push(("secret key", check_secret_key(&db, key, &file).await));
    }
    findings
}

async fn check_migrations(db: &Db) -> Finding {
    let state = db.schema_state().await.map_err(|error| error.to_string())?;
    Ok(match state.known - state.applied {
        0 => format!("all {} applied", state.known),
        pending => format!(
            "{pending} of {} to be applied at the next start",
            state.known
        ),
    })
}

async fn check_secret_key(db: &Db, key: &SecretKey, file: &KeyFile) -> Finding {
    match kernel::secret::secret_key_fits(db, key).await {
        Ok(Some(true)) => Ok("the one this database was written under".into()),
        Ok(Some(false)) => match file.load_new() {
            Ok(Some(new))
                if matches!(
                    kernel::secret::secret_key_fits(db, &new).await,
                    Ok(Some(true))
                ) =>
            {
                Ok("a new one is put in its place at the next start".into())
            }
            _ => Err("not the one this database was written under".into()),
        },
        Ok(None) => Ok("the database has none yet".into()),
        Err(error) => Err(error::cause(error.into()).to_string()),
    }
}
