import Add from "@mui/icons-material/Add";
import ArrowDownward from "@mui/icons-material/ArrowDownward";
import ArrowUpward from "@mui/icons-material/ArrowUpward";
import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import { Alert, Box, Button, Stack, Typography } from "@mui/material";
import { useFieldArray, useFormContext } from "react-hook-form";
import { IconAction } from "../../../components/IconAction";
import { permissionName } from "../../../components/permissions/names";
import { Muted } from "../../../components/text";
import { useText } from "../../../i18n";
import { grants, useSession } from "../../../session/session";
import { KIND_ICONS } from "../grants/kinds";
import { CommandStep } from "./CommandStep";
import { PreviewFor } from "./CommandPreview";
import { PluginStep } from "./PluginStep";
import { NEEDED, newStep, type Step, STEP_KINDS, type StepKind } from "./product";
import { RoleStep } from "./RoleStep";

const MOST_STEPS = 10;
const FIELDS = { role: RoleStep, rcon: CommandStep, plugin: PluginStep };

/** What a product gives, step by step. */
export function StepsInput() {
  const t = useText();
  const session = useSession();
  const { control, formState } = useFormContext<{ steps: Step[] }>();
  const { fields, append, remove, swap } = useFieldArray({ control, name: "steps" });
  const isReadOnly = formState.disabled;
  const lacks = (kind: StepKind) => !grants(session, NEEDED[kind] ?? "admin.products");
  const shown = STEP_KINDS.filter((kind) => fields.some((step) => step.kind === kind));
  return (
    <Box role="group" aria-labelledby="steps-title">
      <Typography id="steps-title" variant="h3" component="h2">
        {t("products.steps.title")}
      </Typography>
      <Muted sx={{ mb: 2 }}>
        {t(fields.length === 0 ? "products.steps.none" : "products.steps.hint")}
      </Muted>
      {!isReadOnly &&
        shown.filter(lacks).map((kind) => (
          <Alert key={kind} severity="info" sx={{ mb: 2 }}>
            {t("products.steps.lacking", { permission: permissionName(NEEDED[kind] ?? "", t) })}
          </Alert>
        ))}
      <PreviewFor isOffered={shown.includes("rcon")}>
        <Stack component="ol" sx={{ gap: 2, m: 0, p: 0, listStyle: "none" }}>
          {fields.map(({ id, kind }, index) => (
            <StepCard
              key={id}
              kind={kind}
              index={index}
              count={fields.length}
              isReadOnly={isReadOnly}
              onMove={(by) => swap(index, index + by)}
              onRemove={() => remove(index)}
            />
          ))}
        </Stack>
      </PreviewFor>
      {!isReadOnly && fields.length < MOST_STEPS && (
        <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1, mt: 2 }}>
          {STEP_KINDS.filter((kind) => !lacks(kind)).map((kind) => (
            <Button
              key={kind}
              variant="outlined"
              startIcon={<Add />}
              onClick={() => append(newStep(kind), { shouldFocus: false })}
            >
              {t(`products.steps.add.${kind}`)}
            </Button>
          ))}
        </Box>
      )}
    </Box>
  );
}

interface CardProps {
  kind: StepKind;
  index: number;
  count: number;
  isReadOnly: boolean;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
}

/** The inputs of one step, with the buttons that move and remove it. */
function StepCard({ kind, index, count, isReadOnly, onMove, onRemove }: CardProps) {
  const t = useText();
  const Fields = FIELDS[kind];
  const Icon = KIND_ICONS[kind];
  const number = index + 1;
  const acts = [
    {
      icon: ArrowUpward,
      tip: t("products.steps.up", { number }),
      disabled: index === 0,
      onClick: () => onMove(-1),
    },
    {
      icon: ArrowDownward,
      tip: t("products.steps.down", { number }),
      disabled: number === count,
      onClick: () => onMove(1),
    },
    { icon: DeleteOutlined, tip: t("products.steps.remove", { number }), onClick: onRemove },
  ];
  return (
    <Box
      component="li"
      sx={{ border: 1, borderColor: "divider", borderRadius: 2, p: { xs: 1.5, sm: 2 } }}
    >
      <Box sx={{ display: "flex", alignItems: "center", gap: 1, mb: 2 }}>
        <Icon fontSize="small" sx={{ color: "text.secondary" }} />
        <Typography variant="body2" component="h3" sx={{ fontWeight: 600, flexGrow: 1 }}>
          {number}. {t(`products.steps.kinds.${kind}`)}
        </Typography>
        {!isReadOnly && acts.map((act) => <IconAction key={act.tip} size="small" {...act} />)}
      </Box>
      <Stack sx={{ gap: 2 }}>
        <Fields source={`steps.${index}`} />
      </Stack>
    </Box>
  );
}
