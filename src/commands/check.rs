//! `steward check`: reports the state of the installation without changing it.

use db::{DatabaseUrl, Db};
use kernel::secret::{KeyFile, SecretKey};

use crate::error::{self, Result};
use crate::options::Options;

type Finding = std::result::Result<String, String>;

pub async fn run(options: &Options) -> Result {
    let mut wrong = 0;
    let mut report = |subject: &str, finding: Finding| match finding {
        Ok(finding) => println!("{subject:11} ok     {finding}"),
        Err(finding) => {
            wrong += 1;
            println!("{subject:11} WRONG  {finding}");
        }
    };
    report("program", Ok(format!("steward {}", kernel::VERSION)));
    let file = KeyFile::new(options.secret_key_file());
    let key = file.load();
    let path = file.path().display();
    report(
        "key file",
        match &key {
            Ok(_) => Ok(path.to_string()),
            Err(error) => Err(format!("{path}: {error}")),
        },
    );
    let url = options.database_url();
    if let DatabaseUrl::Sqlite(path) = &url
        && !path.exists()
    {
        // Opening it would create it.
        report("database", Err(format!("{url}: there is no such file")));
    } else {
        // It reports what is, so it does not wait.
        match Db::open(&url, &options.database()).await {
            Err(error) => report("database", Err(format!("{url}: {error}"))),
            Ok(db) => {
                let version = db.version().await.map_err(|error| error.to_string());
                report(
                    "database",
                    version.map(|version| format!("{url} ({version})")),
                );
                report("migrations", check_migrations(&db).await);
                if let Ok(key) = &key {
                    report("secret key", check_secret_key(&db, key, &file).await);
                }
            }
        }
    }
    match wrong {
        0 => Ok(()),
        1 => Err("one thing is wrong".into()),
        more => Err(format!("{more} things are wrong").into()),
    }
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
