//! Usernames and addresses, of which each may have one user only: the one with the lowest id. Rows
//! may come in any order, so a user who is written already may still lose a name.

use std::collections::HashMap;

use accounts::users::imported::{self, Unique};
use kernel::Result;
use kernel::types::case_fold::fold;
use kernel::write::Edit;

use crate::report::Output;
use crate::tables::USERS;
use crate::text::{with_id, with_suffix};
use crate::users::{Account, placeholder};

const MOST_NAME: usize = 100;

/// The users who have values that were looked up or given.
struct Holders {
    unique: Unique,
    known: HashMap<String, Option<i64>>,
}

impl Holders {
    async fn of(edit: &mut Edit, unique: Unique, values: Vec<String>) -> Result<Self> {
        let found = imported::holders_of(edit, unique, &values).await?;
        let mut known: HashMap<String, Option<i64>> = HashMap::new();
        known.extend(values.into_iter().map(|value| (value, None)));
        known.extend(found.into_iter().map(|(value, id)| (value, Some(id))));
        Ok(Self { unique, known })
    }

    async fn get(&mut self, edit: &mut Edit, folded: &str) -> Result<Option<i64>> {
        if let Some(holder) = self.known.get(folded) {
            return Ok(*holder);
        }
        let value = [folded.to_owned()];
        let found = imported::holders_of(edit, self.unique, &value).await?;
        let holder = found.first().map(|(_, id)| *id);
        self.known.insert(folded.to_owned(), holder);
        Ok(holder)
    }

    fn give(&mut self, folded: String, id: i64) {
        self.known.insert(folded, Some(id));
    }
}

fn positions(accounts: &[Account]) -> HashMap<i64, usize> {
    let ids = accounts.iter().enumerate();
    ids.map(|(at, account)| (account.kept.id, at)).collect()
}

pub struct Names;

impl Names {
    /// Gives each user of the batch a name that no other has.
    pub async fn settle(
        edit: &mut Edit,
        accounts: &mut [Account],
        output: &mut Output<'_>,
    ) -> Result<()> {
        let wanted = accounts.iter().flat_map(|account| {
            let second = with_id(&account.username, account.kept.id, MOST_NAME);
            [fold(&account.username), fold(&second)]
        });
        let mut holders = Holders::of(edit, Unique::Username, wanted.collect()).await?;
        let positions = positions(accounts);
        for at in 0..accounts.len() {
            let id = accounts[at].kept.id;
            let mut name = accounts[at].username.clone();
            match holders.get(edit, &fold(&name)).await? {
                Some(holder) if holder < id => {
                    name = free_name(edit, &mut holders, &name, id).await?;
                    let change = format!("user {holder} has the username, so it is {name}");
                    accounts[at].changes.push(change);
                }
                Some(loser) if loser > id => {
                    let second = free_name(edit, &mut holders, &name, loser).await?;
                    let change = format!("user {id} has the username, so it is {second}");
                    match positions.get(&loser) {
                        Some(at) => {
                            accounts[*at].username = second;
                            accounts[*at].changes.push(change);
                        }
                        None => {
                            imported::replace_username(edit, loser, &second).await?;
                            output.note(USERS, Some(loser), &format!("changed: {change}"))?;
                        }
                    }
                }
                _ => {}
            }
            holders.give(fold(&name), id);
            accounts[at].username = name;
        }
        Ok(())
    }
}

/// A name with the user's id that no other user has.
async fn free_name(edit: &mut Edit, holders: &mut Holders, name: &str, id: i64) -> Result<String> {
    let mut free = with_id(name, id, MOST_NAME);
    let mut number = 2;
    while holders.get(edit, &fold(&free)).await?.is_some() {
        free = with_suffix(name, &format!("-{id}-{number}"), MOST_NAME);
        number += 1;
    }
    holders.give(fold(&free), id);
    Ok(free)
}

pub struct Addresses;

impl Addresses {
    /// Leaves each address to one user. With `-<id>` it would be that of another mailbox, so the
    /// others have none.
    pub async fn settle(
        edit: &mut Edit,
        accounts: &mut [Account],
        output: &mut Output<'_>,
    ) -> Result<()> {
        let wanted = accounts
            .iter()
            .filter_map(|account| account.email.as_deref());
        let wanted: Vec<String> = wanted.map(fold).collect();
        let mut holders = Holders::of(edit, Unique::Email, wanted).await?;
        let positions = positions(accounts);
        for at in 0..accounts.len() {
            let id = accounts[at].kept.id;
            let Some(folded) = accounts[at].email.as_deref().map(fold) else {
                continue;
            };
            let (loser, winner) = match holders.get(edit, &folded).await? {
                Some(holder) if holder < id => (id, holder),
                Some(holder) => {
                    holders.give(folded, id);
                    (holder, id)
                }
                None => {
                    holders.give(folded, id);
                    continue;
                }
            };
            let change = format!("user {winner} has the email address, so there is none");
            match positions.get(&loser) {
                Some(at) => {
                    accounts[*at].email = None;
                    accounts[*at].changes.push(change);
                }
                None => {
                    imported::replace_email(edit, loser, &placeholder(loser)).await?;
                    output.note(USERS, Some(loser), &format!("changed: {change}"))?;
                }
            }
        }
        Ok(())
    }
}
