import CheckCircleOutlined from "@mui/icons-material/CheckCircleOutlined";
import ErrorOutlineOutlined from "@mui/icons-material/ErrorOutlineOutlined";
import ScheduleOutlined from "@mui/icons-material/ScheduleOutlined";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import CircularProgress from "@mui/material/CircularProgress";
import Stack from "@mui/material/Stack";
import Typography from "@mui/material/Typography";
import { Link } from "react-router";
import { CopyField } from "../../components/CopyField";
import { Page } from "../../components/Page";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import type { Creation, Step } from "./useCreation";

interface Props {
  creation: Creation;
  onRepeat: () => void;
}

/** The value of a new key, and what was saved for it. */
export function CreatedKey({ creation, onRepeat }: Props) {
  const t = useText();
  const { id, name, value, steps } = creation;
  const hasFailed = steps.some(({ state }) => state === "failed");
  return (
    <Page
      title={t(hasFailed ? "apiKeys.create.partly" : "apiKeys.create.done", { name })}
      back={{ to: "/api-keys", text: t("apiKeys.title") }}
      narrow
    >
      <Stack sx={{ gap: 2.5 }}>
        <Panel title={t("apiKeys.value")}>
          <Stack sx={{ gap: 2 }}>
            <Alert severity="warning">{t("common.shownOnce")}</Alert>
            <CopyField label={t("apiKeys.value")} value={value} />
          </Stack>
        </Panel>
        <Panel title={t("apiKeys.create.steps")}>
          <Stack sx={{ gap: 1.5 }} role="status">
            <Line state="done" text={t("apiKeys.create.made")} />
            {steps.map((step) => (
              <StepLine key={step.name} step={step} onRepeat={onRepeat} />
            ))}
            {hasFailed && (
              <Typography variant="body2" color="textSecondary">
                {t("apiKeys.create.partlyHint")}
              </Typography>
            )}
          </Stack>
        </Panel>
        <Box>
          <Button component={Link} to={`/api-keys/${id}`} variant="contained">
            {t("apiKeys.create.open")}
          </Button>
        </Box>
      </Stack>
    </Page>
  );
}

function StepLine({ step, onRepeat }: { step: Step; onRepeat: () => void }) {
  const t = useText();
  const errorText = useErrorText();
  const { name, state, error } = step;
  const text = t(`apiKeys.create.states.${state}`, { step: t(`apiKeys.create.${name}`) });
  return (
    <Box>
      <Line state={state} text={text} />
      {state === "failed" && (
        <Alert
          severity="error"
          sx={{ mt: 1 }}
          action={
            <Button color="inherit" onClick={onRepeat}>
              {t("common.retry")}
            </Button>
          }
        >
          {errorText(error)}
        </Alert>
      )}
    </Box>
  );
}

function Line({ state, text }: { state: Step["state"]; text: string }) {
  const icon = {
    waiting: <ScheduleOutlined color="disabled" fontSize="small" />,
    running: <CircularProgress size={18} />,
    done: <CheckCircleOutlined color="success" fontSize="small" />,
    failed: <ErrorOutlineOutlined color="error" fontSize="small" />,
  }[state];
  return (
    <Box sx={{ display: "flex", alignItems: "center", gap: 1 }}>
      {icon}
      <Typography variant="body2">{text}</Typography>
    </Box>
  );
}
