import CheckCircle from "@mui/icons-material/CheckCircle";
import RadioButtonUnchecked from "@mui/icons-material/RadioButtonUnchecked";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Link from "@mui/material/Link";
import Typography from "@mui/material/Typography";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useStore } from "react-admin";
import { Link as RouterLink } from "react-router";
import { resource, type ResourceName } from "../../api/resources";
import { total } from "../../api/total";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { grants, useSession } from "../../session/session";
import { useTokens } from "../../theme/theme";

/** A community with more users than this has found its way. */
const FEW_USERS = 5;

/** What to do first. A step is done once there are so many records. */
const STEPS: { step: "server" | "role" | "key" | "operator"; of: ResourceName; done: number }[] = [
  { step: "server", of: "servers", done: 1 },
  { step: "role", of: "roles", done: 1 },
  { step: "key", of: "api-keys", done: 1 },
  { step: "operator", of: "operators", done: 2 },
];

/** Guides through an empty service until everything is done, or the person has seen enough. */
export function FirstSteps() {
  const t = useText();
  const session = useSession();
  const [isHidden, setHidden] = useStore("firstSteps.hidden", false);
  const steps = STEPS.filter(({ of }) => grants(session, resource(of).write));
  const canCount = grants(session, "admin.users.read");
  const countOf = (name: ResourceName) => ({
    queryKey: [name, "dashboard", "total"],
    queryFn: () => total(resource(name).path),
  });
  const { data: users = Infinity } = useQuery({
    ...countOf("users"),
    enabled: canCount && !isHidden,
  });
  const isNew = !isHidden && users <= FEW_USERS;
  const found = useQueries({
    queries: steps.map(({ of }) => ({ ...countOf(of), enabled: isNew })),
  });
  const operator = session?.operator;
  if (!isNew || found.some(({ data }) => data === undefined)) {
    return null;
  }
  const list = [
    ...steps.map(({ step, of, done }, index) => ({
      step,
      path: `/${of}/create`,
      isDone: (found[index]?.data ?? 0) >= done,
    })),
    ...(operator === undefined
      ? []
      : [{ step: "secondFactor" as const, path: "/account", isDone: operator.two_factor }]),
  ];
  if (list.every(({ isDone }) => isDone)) {
    return null;
  }
  return (
    <Panel
      title={t("dashboard.steps.title")}
      hint={t("dashboard.steps.hint")}
      actions={<Button onClick={() => setHidden(true)}>{t("dashboard.steps.hide")}</Button>}
    >
      <Box
        component="ol"
        sx={{
          listStyle: "none",
          m: 0,
          p: 0,
          display: "grid",
          gap: 2,
          gridTemplateColumns: "repeat(auto-fit, minmax(220px, 1fr))",
        }}
      >
        {list.map(({ step, path, isDone }) => (
          <Step key={step} step={step} path={path} isDone={isDone} />
        ))}
      </Box>
    </Panel>
  );
}

interface StepProps {
  step: "server" | "role" | "key" | "operator" | "secondFactor";
  path: string;
  isDone: boolean;
}

function Step({ step, path, isDone }: StepProps) {
  const t = useText();
  const tokens = useTokens();
  const Icon = isDone ? CheckCircle : RadioButtonUnchecked;
  return (
    <Box component="li" sx={{ display: "flex", gap: 1.25 }}>
      <Icon
        titleAccess={t(isDone ? "dashboard.steps.done" : "dashboard.steps.open")}
        sx={{ color: isDone ? tokens.good : tokens.muted }}
      />
      <Box>
        {isDone ? (
          <Typography sx={{ fontWeight: 600, color: "text.secondary" }}>
            {t(`dashboard.steps.${step}`)}
          </Typography>
        ) : (
          <Link component={RouterLink} to={path} sx={{ fontWeight: 600 }}>
            {t(`dashboard.steps.${step}`)}
          </Link>
        )}
        <Typography variant="body2" color="textSecondary">
          {t(`dashboard.steps.why.${step}`)}
        </Typography>
      </Box>
    </Box>
  );
}
