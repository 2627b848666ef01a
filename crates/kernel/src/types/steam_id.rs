//! SteamIDs. Programs spell a Steam account in different ways; links store the SteamID64.

/// The SteamID64 of account 0: the public universe, a person, the desktop instance.
const ACCOUNT_0: u64 = 0x0110_0001_0000_0000;

/// A person's Steam account, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SteamId(u32);

impl SteamId {
    /// Parses a SteamID2, SteamID3 or SteamID64.
    pub fn parse(text: &str) -> Option<Self> {
        // Both prefixes mean the public universe: some games write 0, others 1.
        let steam_id_2 = text.strip_prefix("STEAM_0:");
        if let Some(parts) = steam_id_2.or(text.strip_prefix("STEAM_1:")) {
            let (lowest_bit, rest) = parts.split_once(':')?;
            let lowest_bit = number(lowest_bit).filter(|bit| *bit < 2)?;
            return Self::of_account(number(rest)?.checked_mul(2)? + lowest_bit);
        }
        if let Some(account) = text.strip_prefix("[U:1:") {
            return Self::of_account(number(account.strip_suffix(']')?)?);
        }
        Self::of_account(number(text)?.checked_sub(ACCOUNT_0)?)
    }

    pub fn of_account(number: u64) -> Option<Self> {
        number.try_into().ok().map(Self)
    }

    /// The number of the account.
    pub fn account(self) -> u32 {
        self.0
    }

    pub fn id64(self) -> u64 {
        ACCOUNT_0 + u64::from(self.0)
    }

    /// The SteamID2 in the form of newer games, which write the universe as 1.
    pub fn id2(self) -> String {
        format!("STEAM_1:{}:{}", self.0 % 2, self.0 / 2)
    }

    pub fn id3(self) -> String {
        format!("[U:1:{}]", self.0)
    }
}

/// Parses a number in canonical form: digits, without a leading zero.
fn number(digits: &str) -> Option<u64> {
    let is_plain = digits == "0" || !digits.starts_with(['0', '+']);
    digits.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::SteamId;

    #[test]
    fn all_spellings_of_an_account_are_one() {
        for spelling in [
            "76561197969249708",
            "STEAM_0:0:4491990",
            "STEAM_1:0:4491990",
            "[U:1:8983980]",
        ] {
            let parsed = SteamId::parse(spelling);
            assert_eq!(parsed, Some(SteamId(8_983_980)), "{spelling}");
            let steam_id_64 = parsed.map(SteamId::id64);
            assert_eq!(steam_id_64, Some(76_561_197_969_249_708));
        }
    }

    #[test]
    fn every_account_is_read_from_all_its_spellings() {
        for account in [0, 1, 2, 8_983_981, u32::MAX - 1, u32::MAX] {
            let (lowest_bit, rest) = (account % 2, account / 2);
            for spelling in [
                SteamId(account).id64().to_string(),
                format!("STEAM_0:{lowest_bit}:{rest}"),
                format!("STEAM_1:{lowest_bit}:{rest}"),
                format!("[U:1:{account}]"),
            ] {
                let parsed = SteamId::parse(&spelling);
                assert_eq!(parsed, Some(SteamId(account)), "{spelling}");
            }
        }
    }

    #[test]
    fn other_text_is_not_a_steam_id() {
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
            "https://steamcommunity.com/profiles/76561197969249708",
        ] {
            assert_eq!(SteamId::parse(text), None, "{text}");
        }
    }
}
