import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import { api, body, type Schemas } from "../../api/client";
import { State } from "../../components/State";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useFormat } from "../../i18n/format";
import { Entries } from "./Entries";
import type { User } from "./types";

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
        <When at={block.blocked_at} /> · {block.key_name} ·{" "}
        {block.until === null
          ? t("users.block.endsNever")
          : t("users.block.ends", { at: format.moment(block.until) })}
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
