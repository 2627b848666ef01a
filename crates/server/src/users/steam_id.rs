//! SteamIDs. Programs spell one Steam account in different ways, and links are stored as they came.

/// The SteamID64 of account 0: the public universe, a person, the desktop instance.
const ACCOUNT_0: u64 = 0x0110_0001_0000_0000;
const PROFILE: &str = "https://steamcommunity.com/profiles/";

/// The account of a person on Steam, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SteamId(u32);

impl SteamId {
    /// Reads any of [`Self::spellings`].
    pub fn parse(text: &str) -> Option<Self> {
        // Both are the public universe: some games write 0, others 1.
        let steam_id_2 = text.strip_prefix("STEAM_0:");
        if let Some(parts) = steam_id_2.or(text.strip_prefix("STEAM_1:")) {
            let (lowest_bit, rest) = parts.split_once(':')?;
            let lowest_bit = number(lowest_bit).filter(|bit| *bit < 2)?;
            return Self::of_account(number(rest)?.checked_mul(2)? + lowest_bit);
        }
        if let Some(account) = text.strip_prefix("[U:1:") {
            return Self::of_account(number(account.strip_suffix(']')?)?);
        }
        let steam_id_64 = match text.strip_prefix(PROFILE) {
            Some(id) => id.strip_suffix('/').unwrap_or(id),
            None => text,
        };
        Self::of_account(number(steam_id_64)?.checked_sub(ACCOUNT_0)?)
    }

    fn of_account(number: u64) -> Option<Self> {
        number.try_into().ok().map(Self)
    }

    /// Everything that a link to this account can be: SteamID2, SteamID3, SteamID64, and the
    /// address of the profile.
    pub fn spellings(self) -> [String; 6] {
        let Self(account) = self;
        let (lowest_bit, rest) = (account % 2, account / 2);
        let steam_id_64 = ACCOUNT_0 + u64::from(account);
        [
            steam_id_64.to_string(),
            format!("STEAM_0:{lowest_bit}:{rest}"),
            format!("STEAM_1:{lowest_bit}:{rest}"),
            format!("[U:1:{account}]"),
            format!("{PROFILE}{steam_id_64}"),
            format!("{PROFILE}{steam_id_64}/"),
        ]
    }
}

/// A number in its only spelling: digits, without a leading zero.
fn number(digits: &str) -> Option<u64> {
    let is_plain = digits == "0" || !digits.starts_with(['0', '+']);
    digits.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::SteamId;

    #[test]
    fn all_spellings_of_an_account_are_one() {
        let spellings = [
            "76561197969249708",
            "STEAM_0:0:4491990",
            "STEAM_1:0:4491990",
            "[U:1:8983980]",
            "https://steamcommunity.com/profiles/76561197969249708",
            "https://steamcommunity.com/profiles/76561197969249708/",
        ];
        assert_eq!(SteamId(8_983_980).spellings(), spellings);
        for spelling in spellings {
            assert_eq!(SteamId::parse(spelling), Some(SteamId(8_983_980)));
        }
    }

    #[test]
    fn every_account_is_read_from_all_its_spellings() {
        for account in [0, 1, 2, 8_983_981, u32::MAX - 1, u32::MAX] {
            for spelling in SteamId(account).spellings() {
                assert_eq!(
                    SteamId::parse(&spelling),
                    Some(SteamId(account)),
                    "{spelling}"
                );
            }
        }
        assert_eq!(SteamId(u32::MAX).spellings()[1], "STEAM_0:1:2147483647");
    }

    #[test]
    fn anything_else_is_no_steam_id() {
        for text in [
            "",
            "gordon",
            "8983980",
            "076561197969249708",
            "+76561197969249708",
            " 76561197969249708",
            // Below the first account, above the last one, and beyond 64 bits.
            "76561197960265727",
            "76561202255233024",
            "18446744073709551616",
            "STEAM_0:2:4491990",
            "STEAM_2:0:4491990",
            "STEAM_0:0:04491990",
            "STEAM_0:0:2147483648",
            "STEAM_0:0:18446744073709551615",
            "STEAM_0:0",
            "STEAM_0::",
            "steam_0:0:4491990",
            "STEAM_ID_PENDING",
            "[U:1:8983980",
            "[U:1:4294967296]",
            "[U:2:8983980]",
            "[G:1:8983980]",
            "U:1:8983980",
            "https://steamcommunity.com/id/gordon",
            "https://steamcommunity.com/profiles/76561197969249708//",
            "https://steamcommunity.com/profiles/",
        ] {
            assert_eq!(SteamId::parse(text), None, "{text}");
        }
    }
}
