import Stack from "@mui/material/Stack";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import Typography from "@mui/material/Typography";
import { useId } from "react";
import { useLocaleState } from "react-admin";
import { Panel } from "../../components/Panel";
import { LANGUAGES, useText } from "../../i18n";
import { TIME_ZONE } from "../../i18n/format";
import { THEMES, type ThemeChoice, useThemeChoice } from "../../layout/themeChoice";

/** The language, the theme, and the time zone that times are shown in. */
export function AppearancePanel() {
  const t = useText();
  const [locale, setLocale] = useLocaleState();
  const [theme, setTheme] = useThemeChoice();
  return (
    <Panel title={t("account.appearance.title")}>
      <Stack sx={{ gap: 2 }}>
        <Choice
          label={t("account.appearance.language")}
          value={locale}
          options={LANGUAGES.map((language) => ({ value: language.locale, text: language.name }))}
          onChange={setLocale}
        />
        <Choice<ThemeChoice>
          label={t("account.appearance.theme")}
          value={theme}
          options={THEMES.map(({ value, text }) => ({ value, text: t(text) }))}
          onChange={setTheme}
        />
        <div>
          <Typography variant="body2" color="textSecondary">
            {t("account.appearance.zone")}
          </Typography>
          <Typography>{TIME_ZONE}</Typography>
          <Typography variant="body2" color="textSecondary">
            {t("account.appearance.zoneHint")}
          </Typography>
        </div>
      </Stack>
    </Panel>
  );
}

interface ChoiceProps<V extends string> {
  label: string;
  value: V;
  options: { value: V; text: string }[];
  onChange: (value: V) => void;
}

function Choice<V extends string>({ label, value, options, onChange }: ChoiceProps<V>) {
  const id = useId();
  return (
    <div>
      <Typography variant="body2" color="textSecondary" id={id} sx={{ mb: 0.5 }}>
        {label}
      </Typography>
      <ToggleButtonGroup
        exclusive
        size="small"
        color="primary"
        value={value}
        aria-labelledby={id}
        onChange={(_, chosen: V | null) => {
          if (chosen !== null) {
            onChange(chosen);
          }
        }}
      >
        {options.map((option) => (
          <ToggleButton
            key={option.value}
            value={option.value}
            sx={{ textTransform: "none", px: 1.5 }}
          >
            {option.text}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
    </div>
  );
}
