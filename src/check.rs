//! `steward check`: how things stand, and what is wrong, without changing anything.

use db::DatabaseUrl;
use kernel::secret::{KeyFile, SecretKey};

use crate::options::Options;
use crate::{Outcome, serve};

pub async fn run(options: &Options) -> Outcome {
    let mut wrong = 0;
    let mut say = |what: &str, finding: Result<String, String>| match finding {
        Ok(finding) => println!("{what:11} ok     {finding}"),
        Err(finding) => {
            wrong += 1;
            println!("{what:11} WRONG  {finding}");
        }
    };
    say("program", Ok(format!("steward {}", kernel::VERSION)));
    let file = KeyFile::new(options.secret_key_file());
    let key_file = file.load();
    let shown = file.path().display();
    say(
        "key file",
        match &key_file {
            Ok(_) => Ok(shown.to_string()),
            Err(error) => Err(format!("{shown}: {error}")),
        },
    );
    let url = options.database_url();
    if let DatabaseUrl::Sqlite(path) = &url
        && !path.exists()
    {
        // Opening it would make one.
        say("database", Err(format!("{url}: there is no such file")));
    } else {
        match serve::open(options).await {
            Err(error) => say("database", Err(error.to_string())),
            Ok(db) => {
                let version = db.version().await.map_err(|error| error.to_string());
                say(
                    "database",
                    version.map(|version| format!("{url} ({version})")),
                );
                say("migrations", migrations(&db).await);
                if let Ok(key) = &key_file {
                    say("secret key", fits(&db, key, &file).await);
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

async fn migrations(db: &db::Db) -> Result<String, String> {
    let state = db.schema_state().await.map_err(|error| error.to_string())?;
    Ok(match state.known - state.applied {
        0 => format!("all {} applied", state.known),
        open => format!("{open} of {} to be applied at the next start", state.known),
    })
}

async fn fits(db: &db::Db, key: &SecretKey, file: &KeyFile) -> Result<String, String> {
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
        Err(error) => Err(crate::cause(error.into()).to_string()),
    }
}
