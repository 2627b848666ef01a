import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import Link from "@mui/material/Link";
import Tooltip from "@mui/material/Tooltip";
import Typography from "@mui/material/Typography";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNotify, useRefresh } from "react-admin";
import { api, body, type Schemas } from "../../api/client";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { AddLink } from "./AddLink";
import { Entries } from "./Entries";
import { ifMatch } from "./ifMatch";
import { profileAddress } from "./profileAddress";
import type { User } from "./types";

type SocialLink = Schemas["SocialLinkItem"];

/** The profiles of the user elsewhere. */
export function LinksPanel({ user }: { user: User }) {
  const t = useText();
  const mayWrite = useCan("admin.users");
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<SocialLink | null>(null);
  const { data: networks } = useQuery({
    queryKey: ["social-networks", "choices"],
    queryFn: async () => (await body(api.GET("/api/social-networks"))).social_networks,
  });
  const networkOf = (link: SocialLink) => networks?.find(({ name }) => name === link.network);
  const titleOf = (link: SocialLink) => networkOf(link)?.title ?? link.network;
  return (
    <>
      <Entries
        title={t("users.links.title")}
        actions={
          mayWrite && <Button onClick={() => setAdding(true)}>{t("users.links.add")}</Button>
        }
        queryKey={["users", user.id, "social-networks"]}
        read={async () => {
          const params = { path: { id: user.id } };
          const found = await body(api.GET("/api/users/{id}/social-networks", { params }));
          return found.social_networks;
        }}
        empty={t("users.links.none")}
        entry={(link) => (
          <Box sx={{ display: "flex", alignItems: "center", gap: 1 }}>
            <Box sx={{ flexGrow: 1, minWidth: 0 }}>
              <Typography variant="body2" sx={{ fontWeight: 550 }}>
                {titleOf(link)}
              </Typography>
              <Profile link={link} template={networkOf(link)?.url_template ?? ""} />
            </Box>
            {mayWrite && (
              <Tooltip title={t("common.remove")}>
                <IconButton
                  aria-label={`${t("common.remove")}: ${titleOf(link)}`}
                  onClick={() => setRemoved(link)}
                >
                  <DeleteOutlined fontSize="small" />
                </IconButton>
              </Tooltip>
            )}
          </Box>
        )}
      />
      {isAdding && (
        <AddLink user={user} networks={networks ?? []} onClose={() => setAdding(false)} />
      )}
      {removed !== null && (
        <RemoveLink
          user={user}
          link={removed}
          network={titleOf(removed)}
          onClose={() => setRemoved(null)}
        />
      )}
    </>
  );
}

/** Leads to the profile where its address is known. */
function Profile({ link, template }: { link: SocialLink; template: string }) {
  const address = profileAddress(link.profile_url, template);
  return (
    <Typography variant="caption" color="textSecondary" sx={{ overflowWrap: "anywhere" }}>
      {address === null ? (
        link.profile_url
      ) : (
        <Link href={address} target="_blank" rel="noopener noreferrer">
          {link.profile_url}
        </Link>
      )}
    </Typography>
  );
}

interface RemoveProps {
  user: User;
  link: SocialLink;
  network: string;
  onClose: () => void;
}

function RemoveLink({ user, link, network, onClose }: RemoveProps) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  return (
    <ConfirmDialog
      title={t("users.links.removeTitle", { network })}
      confirm={t("common.remove")}
      danger
      onConfirm={async () => {
        await api.DELETE("/api/users/{userId}/social-networks/{networkId}", {
          // The API calls it so, but it is the id of the link.
          params: { path: { userId: user.id, networkId: link.id }, header: ifMatch(user) },
        });
        refresh();
        notify(t("common.deleted"), { type: "success" });
      }}
      onClose={onClose}
    >
      {t("users.links.removeText", { profile: link.profile_url })}
    </ConfirmDialog>
  );
}
