import { Box, Typography } from "@mui/material";
import type { ReactNode } from "react";
import { useGetManyAggregate } from "react-admin";
import type { Schemas } from "../../../api/client";
import { RouteLink } from "../../../components/links";
import { Muted, State, When } from "../../../components/text";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { useTokens } from "../../../theme/theme";
import { MONOSPACE } from "../../../theme/tokens";
import { useServerName } from "../choices";
import {
  failureText,
  type Grant,
  GRANT_TONES,
  type GrantStep,
  isStuck,
  type ShownState,
  shownState,
  STEP_TONES,
} from "./grant";
import { GrantActions, StepActions } from "./GrantActions";
import { KIND_ICONS } from "./kinds";

export function GrantStateChip({ state }: { state: ShownState }) {
  const t = useText();
  return <State tone={GRANT_TONES[state]} text={t(`grants.states.${state}`)} />;
}

interface Props {
  grant: Grant;
  /** Where it is shown says already whose it is, or which invoice it belongs to. */
  on?: "user" | "invoice";
}

/** One grant: what it is, its state, and a line for each step with what can be done about it. */
export function GrantView({ grant, on }: Props) {
  const t = useText();
  const serverName = useServerName();
  const mayWrite = useCan("admin.products");
  const mayReadInvoices = useCan("admin.payments.read");
  const { id, product_id, product_name, user_id, invoice_id, server_id, steps } = grant;
  const facts: ReactNode[] = [
    t("grants.number", { id }),
    <When key="when" at={grant.created_at} />,
  ];
  if (on !== "user") {
    facts.push(<UserName key="user" id={user_id} />);
  }
  if (on !== "invoice") {
    facts.push(
      invoice_id === null ? (
        t("grants.byHand")
      ) : mayReadInvoices ? (
        <RouteLink key="invoice" to={`/invoices/${invoice_id}`}>
          {t("grants.invoice", { id: invoice_id })}
        </RouteLink>
      ) : (
        t("grants.invoice", { id: invoice_id })
      ),
    );
  }
  if (server_id !== null) {
    facts.push(serverName(server_id));
  }
  return (
    <Box component="article" aria-label={t("grants.number", { id })}>
      <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 1 }}>
        <RouteLink
          to={`/products/${product_id}`}
          color="textPrimary"
          sx={{ fontWeight: 600, overflowWrap: "anywhere" }}
        >
          {product_name}
        </RouteLink>
        <GrantStateChip state={shownState(grant)} />
        <Box sx={{ flexGrow: 1 }} />
        {mayWrite && <GrantActions grant={grant} />}
      </Box>
      <Muted sx={{ display: "flex", flexWrap: "wrap", columnGap: 1.5 }}>
        {facts.map((fact, index) => (
          <span key={index}>{fact}</span>
        ))}
      </Muted>
      {steps.length === 0 ? (
        <Muted sx={{ mt: 1 }}>{t("grants.steps.none")}</Muted>
      ) : (
        <Box
          component="ol"
          aria-label={t("grants.steps.list", { id })}
          sx={{ listStyle: "none", m: 0, mt: 1, p: 0 }}
        >
          {steps.map((step) => (
            <StepLine key={step.id} grant={grant} step={step} mayWrite={mayWrite} />
          ))}
        </Box>
      )}
    </Box>
  );
}

/** The name of a user, which is the number for those who may not read users. */
export function UserName({ id }: { id: number }) {
  const t = useText();
  const mayRead = useCan("admin.users.read");
  const { data } = useGetManyAggregate<Schemas["UserItem"]>(
    "users",
    { ids: [id] },
    { enabled: mayRead },
  );
  const name = data?.[0]?.username ?? t("payments.userOf", { id });
  return mayRead ? <RouteLink to={`/users/${id}`}>{name}</RouteLink> : <>{name}</>;
}

interface StepProps {
  grant: Grant;
  step: GrantStep;
  mayWrite: boolean;
}

function StepLine({ grant, step, mayWrite }: StepProps) {
  const t = useText();
  const tokens = useTokens();
  const serverName = useServerName();
  const { kind, state, server_id, attempts, next_attempt_at, error, reply, done_at } = step;
  const Icon = KIND_ICONS[kind];
  const known = error === null ? null : failureText(error);
  const isWaiting = state === "pending" && kind === "plugin";
  return (
    <Box
      component="li"
      sx={{ display: "flex", gap: 1.25, py: 1, borderTop: 1, borderColor: "divider" }}
    >
      <Icon fontSize="small" aria-hidden sx={{ color: "text.secondary", mt: 0.25 }} />
      <Box sx={{ flexGrow: 1, minWidth: 0 }}>
        <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 1 }}>
          <Typography variant="body2" sx={{ flexGrow: 1, overflowWrap: "anywhere" }}>
            {t(`grants.steps.kinds.${kind}`)}
            {server_id !== null && `: ${serverName(server_id)}`}
          </Typography>
          <State tone={STEP_TONES[state]} text={t(`grants.steps.states.${state}`)} />
        </Box>
        <Muted sx={{ display: "flex", flexWrap: "wrap", columnGap: 1.5, fontSize: 13 }}>
          {attempts > 0 && <span>{t("grants.steps.attempts", { smart_count: attempts })}</span>}
          {next_attempt_at !== null && (
            <span>
              {t("grants.steps.next")} <When at={next_attempt_at} />
            </span>
          )}
          {done_at !== null && (
            <span>
              {/* A role that was taken back keeps the time when it was given. */}
              {t(`grants.steps.${kind === "role" ? "givenAt" : "doneAt"}`)} <When at={done_at} />
            </span>
          )}
          {isWaiting && <span>{t("grants.steps.hints.waitsForPlugin")}</span>}
        </Muted>
        {error !== null && (
          <Typography
            variant="body2"
            sx={{ color: isStuck(step) ? tokens.bad : tokens.warn, overflowWrap: "anywhere" }}
          >
            {known === null ? error : t(known)}
          </Typography>
        )}
        {(state === "uncertain" || state === "kept") && (
          <Muted>{t(`grants.steps.hints.${state}`)}</Muted>
        )}
        {reply !== null && reply !== "" && <Reply text={reply} />}
        {mayWrite && isStuck(step) && <StepActions grant={grant} step={step} />}
      </Box>
    </Box>
  );
}

/** What the console answered, on request. */
function Reply({ text }: { text: string }) {
  const t = useText();
  const tokens = useTokens();
  return (
    <Muted component="details" sx={{ fontSize: 13 }}>
      <Box component="summary" sx={{ cursor: "pointer" }}>
        {t("grants.steps.reply")}
      </Box>
      <Box
        component="pre"
        sx={{
          m: 0,
          mt: 0.5,
          p: 1,
          borderRadius: 1,
          bgcolor: tokens.inset,
          color: "text.primary",
          fontFamily: MONOSPACE,
          whiteSpace: "pre-wrap",
          overflowWrap: "anywhere",
        }}
      >
        {text}
      </Box>
    </Muted>
  );
}
