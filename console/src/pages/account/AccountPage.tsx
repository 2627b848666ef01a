import { Alert, AlertTitle, Stack, Typography } from "@mui/material";
import { useId, useState } from "react";
import { PasswordInput, useLocaleState } from "react-admin";
import { api } from "../../api/client";
import { ApiError } from "../../api/error";
import { Facts } from "../../components/Facts";
import { FormBar } from "../../components/form/CreateForm";
import { GuardedForm } from "../../components/form/GuardedForm";
import { useFormErrors } from "../../components/form/useFormErrors";
import { RouteButton } from "../../components/links";
import { Columns, Page, Panel } from "../../components/Page";
import { areasOf, shortest, usePermissionText } from "../../components/permissions/permissions";
import { ToggleButtons } from "../../components/ToggleButtons";
import { useDone } from "../../components/useAct";
import { Muted, When } from "../../components/text";
import { LANGUAGES, TIME_ZONE, useText } from "../../i18n";
import { type ThemeChoice, THEMES, useThemeChoice } from "../../theme/choice";
import { grants, type SessionState, useSessionSnapshot } from "../../session/session";
import { OwnSessions } from "./SessionsPanel";
import { TwoFactorPanel } from "./TwoFactorPanel";

/** What belongs to the signed-in person. A session of an API key has less of it. */
export function AccountPage() {
  const t = useText();
  const { session, needsTwoFactor } = useSessionSnapshot();
  if (session === null) {
    return null;
  }
  const { operator, key } = session;
  return (
    <Page title={t("account.title")} subtitle={t("account.subtitle")}>
      {needsTwoFactor && (
        <Alert severity="warning" sx={{ mb: 2.5 }}>
          <AlertTitle>{t("account.factorRequired.title")}</AlertTitle>
          {t("account.factorRequired.text")}
        </Alert>
      )}
      {key !== undefined && (
        <Alert severity="info" sx={{ mb: 2.5 }}>
          <AlertTitle>{t("account.keyTitle", { name: key.name })}</AlertTitle>
          {t("account.keyText")}
        </Alert>
      )}
      <Columns widths="minmax(0, 1fr) minmax(0, 1fr)">
        <Stack sx={{ gap: 2.5 }}>
          {operator !== undefined && <TwoFactorPanel isOn={operator.two_factor} />}
          {operator !== undefined && <PasswordPanel />}
          <OwnSessions />
        </Stack>
        <Stack sx={{ gap: 2.5 }}>
          <IdentityPanel session={session} />
          <AppearancePanel />
        </Stack>
      </Columns>
    </Page>
  );
}

/** Who is signed in, and what they may do. */
function IdentityPanel({ session }: { session: SessionState }) {
  const t = useText();
  const text = usePermissionText();
  const { operator, key, permissions, expires_at } = session;
  const areas = areasOf(shortest(permissions));
  return (
    <Panel
      title={t("account.who")}
      actions={
        operator !== undefined && grants(session, "admin.users.read") ? (
          <RouteButton to={`/users/${operator.user_id}`}>{t("account.profile")}</RouteButton>
        ) : undefined
      }
    >
      <Stack sx={{ gap: 2 }}>
        <div>
          <Typography sx={{ fontWeight: 600 }}>{operator?.username ?? key?.name}</Typography>
          <Muted>{operator?.email ?? t("account.viaKey")}</Muted>
        </div>
        <Facts facts={[{ label: t("account.sessionEnds"), value: <When at={expires_at} /> }]} />
        <div>
          <Typography variant="h3" gutterBottom>
            {t("account.mayDo")}
          </Typography>
          {areas.length === 0 ? (
            <Muted>{t("account.mayNothing")}</Muted>
          ) : (
            <Facts
              facts={areas.map((area) => ({
                label: text.area(area.name),
                value: area.permissions.map(text.level).join(", "),
              }))}
            />
          )}
        </div>
      </Stack>
    </Panel>
  );
}

/** The language, the theme, and the time zone that times are shown in. */
function AppearancePanel() {
  const t = useText();
  const [locale, setLocale] = useLocaleState();
  const [theme, setTheme] = useThemeChoice();
  return (
    <Panel title={t("account.appearance.title")}>
      <Stack sx={{ gap: 2 }}>
        <LabelledChoice
          label={t("shell.account.language")}
          value={locale}
          options={LANGUAGES.map((language) => ({ value: language.locale, text: language.name }))}
          onChange={setLocale}
        />
        <LabelledChoice<ThemeChoice>
          label={t("shell.account.theme")}
          value={theme}
          options={THEMES.map(({ value, text }) => ({ value, text: t(text) }))}
          onChange={setTheme}
        />
        <div>
          <Muted>{t("account.appearance.zone")}</Muted>
          <Typography>{TIME_ZONE}</Typography>
          <Muted>{t("account.appearance.zoneHint")}</Muted>
        </div>
      </Stack>
    </Panel>
  );
}

interface LabelledProps<V extends string> {
  label: string;
  value: V;
  options: { value: V; text: string }[];
  onChange: (value: V) => void;
}

function LabelledChoice<V extends string>({ label, value, options, onChange }: LabelledProps<V>) {
  const id = useId();
  return (
    <div>
      <Muted id={id} sx={{ mb: 0.5 }}>
        {label}
      </Muted>
      <ToggleButtons
        color="primary"
        aria-labelledby={id}
        value={value}
        options={options.map((option) => option.value)}
        text={(chosen) => options.find((option) => option.value === chosen)?.text ?? chosen}
        onChange={onChange}
      />
    </div>
  );
}

interface Values {
  current_password?: string;
  password?: string;
  repeated?: string;
}

/** Changes one's own password. */
function PasswordPanel() {
  const t = useText();
  const done = useDone();
  const { problem, guard } = useFormErrors(["current_password", "password"]);
  // Another form after each change: no password stays on the screen.
  const [changes, setChanges] = useState(0);

  const submit = async ({ current_password = "", password = "", repeated = "" }: Values) => {
    if (password !== repeated) {
      return { repeated: t("account.password.differs") };
    }
    let isWrong = false;
    const faults = await guard(async () => {
      try {
        await api.PUT("/api/console/password", { body: { current_password, password } });
      } catch (error) {
        isWrong = error instanceof ApiError && error.code === "invalid_credentials";
        if (!isWrong) {
          throw error;
        }
        return;
      }
      setChanges(changes + 1);
      done(t("account.password.done"));
    });
    return isWrong ? { current_password: t("account.password.wrong") } : faults;
  };

  return (
    <Panel title={t("common.password")} hint={t("account.password.hint")}>
      <GuardedForm key={changes} submit={submit}>
        <Stack sx={{ gap: 2 }}>
          {problem !== null && <Alert severity="error">{problem}</Alert>}
          <PasswordInput
            source="current_password"
            label={t("account.password.current")}
            autoComplete="current-password"
            helperText={false}
            required
          />
          <PasswordInput
            source="password"
            label={t("common.newPassword")}
            autoComplete="new-password"
            helperText={t("common.passwordHint")}
            required
          />
          <PasswordInput
            source="repeated"
            label={t("account.password.repeat")}
            autoComplete="new-password"
            helperText={false}
            required
          />
        </Stack>
        <FormBar submit={t("account.password.submit")} />
      </GuardedForm>
    </Panel>
  );
}
