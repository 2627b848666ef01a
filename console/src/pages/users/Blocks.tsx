import BlockIcon from "@mui/icons-material/Block";
import LockOpenOutlined from "@mui/icons-material/LockOpenOutlined";
import { Box, Button, Typography } from "@mui/material";
import { useState } from "react";
import { api, body, type Schemas } from "../../api/client";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { FormDialog } from "../../components/form/FormDialog";
import { RouteLink } from "../../components/links";
import { useDone } from "../../components/useAct";
import { State, When } from "../../components/text";
import { useFormat, useText } from "../../i18n";
import { BlockFields, termsOf, useReasons, usualTerms } from "./BlockFields";
import { Entries } from "./Entries";
import { ifMatch, type User } from "./user";

/** Blocks the user, or lifts the block. */
export function BlockButton({ user }: { user: User }) {
  const t = useText();
  const done = useDone();
  const [isOpen, setOpen] = useState(false);
  const isBlocked = user.status === "blocked";
  const path = { id: user.id };
  const params = { path, header: ifMatch(user) };
  const remember = useReasons()[1];
  const close = () => setOpen(false);

  return (
    <>
      <Button
        variant="outlined"
        color={isBlocked ? "primary" : "error"}
        startIcon={isBlocked ? <LockOpenOutlined /> : <BlockIcon />}
        onClick={() => setOpen(true)}
      >
        {t(isBlocked ? "users.unblock.button" : "users.block.button")}
      </Button>
      {isOpen && !isBlocked && (
        <FormDialog
          title={t("users.block.title", { name: user.username })}
          fields={["reason", "until"]}
          defaults={usualTerms()}
          submit={t("users.block.button")}
          danger
          save={async (values) => {
            await api.POST("/api/users/{id}/block", { params, body: termsOf(values) });
            remember(values["reason"]);
            const { status } = user;
            done(t("users.block.done", { name: user.username }), () =>
              api.PUT("/api/users/{id}", { params: { path }, body: { status } }),
            );
          }}
          onClose={close}
        >
          <BlockFields />
        </FormDialog>
      )}
      {isOpen && isBlocked && (
        <ConfirmDialog
          title={t("users.unblock.title", { name: user.username })}
          confirm={t("users.unblock.button")}
          onConfirm={async () => {
            await api.POST("/api/users/{id}/unblock", { params });
            const { block } = user;
            done(
              t("users.unblock.done", { name: user.username }),
              block
                ? () =>
                    api.POST("/api/users/{id}/block", {
                      params: { path },
                      body: { reason: block.reason, until: block.until },
                    })
                : undefined,
            );
          }}
          onClose={close}
        >
          {t("users.unblock.text")}
        </ConfirmDialog>
      )}
    </>
  );
}

/** All blocks of the user, the present one first. */
export function BlocksPanel({ user }: { user: User }) {
  const t = useText();
  return (
    <Entries
      title={t("users.blocks.title")}
      queryKey={["users", user.id, "blocks"]}
      read={async (count) => {
        const query = { per_page: count };
        const params = { path: { id: user.id }, query };
        return (await body(api.GET("/api/users/{id}/blocks", { params }))).blocks;
      }}
      empty={t("users.blocks.none")}
      entry={(block) => <Block block={block} />}
    />
  );
}

/** What the service calls itself. */
const OWN_NAMES = { system: "system", command_line: "command line" };

/** Who blocked a user. Operators are people, so there is a page of them. */
export function BlockAuthor({ by: { kind, id, name } }: { by: Schemas["BlockActor"] }) {
  const t = useText();
  // Who issued an imported ban has a name of their own.
  if ((kind === "command_line" || kind === "system") && name === OWN_NAMES[kind]) {
    return t(`users.blocks.kinds.${kind}`);
  }
  return kind === "operator" && id !== null ? (
    <RouteLink to={`/users/${id}`} onClick={(event) => event.stopPropagation()}>
      {name}
    </RouteLink>
  ) : (
    name
  );
}

function Block({ block }: { block: Schemas["UserBlock"] }) {
  const t = useText();
  const format = useFormat();
  const isInForce = block.lifted_at === null;
  return (
    <Box>
      <Box sx={{ display: "flex", gap: 1, alignItems: "center", justifyContent: "space-between" }}>
        <Typography variant="body2" sx={{ fontWeight: 550, overflowWrap: "anywhere" }}>
          {block.reason === "" ? t("users.blocks.noReason") : block.reason}
        </Typography>
        <State
          tone={isInForce ? "bad" : "neutral"}
          text={t(isInForce ? "users.blocks.inForce" : "users.blocks.ended")}
        />
      </Box>
      <Typography variant="caption" color="textSecondary" component="div">
        <When at={block.at} /> · <BlockAuthor by={block.by} /> ·{" "}
        {block.until === null
          ? t("users.term.endsNever")
          : t("users.term.ends", { at: format.moment(block.until) })}
        {block.lifted_at !== null && (
          <>
            {" "}
            {t("users.blocks.endedAt")} <When at={block.lifted_at} />
          </>
        )}
      </Typography>
    </Box>
  );
}
