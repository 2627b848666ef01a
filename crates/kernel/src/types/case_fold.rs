/// Text as it is compared: without regard to case, nor to the place of a sigma in its word. Neither
/// engine does so by itself.
pub fn fold(text: &str) -> String {
    let lower = text.chars().flat_map(char::to_lowercase);
    lower.map(|c| if c == 'ς' { 'σ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn case_and_the_place_of_a_sigma_make_no_difference() {
        for (one, other) in [
            ("ANNA", "anna"),
            ("ЖЁЛУДЬ", "жёлудь"),
            ("ΟΔΥΣΣΕΥΣ", "οδυσσευς"),
            ("ÅSE", "åse"),
            ("İ", "i\u{307}"),
        ] {
            assert_eq!(fold(one), fold(other), "{one}");
        }
        assert!(fold("ΟΔΥΣΣΕΥΣ").contains(&fold("ΟΔΥΣ")));
    }
}
