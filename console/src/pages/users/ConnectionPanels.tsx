import { Box, Button, Link, Typography } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SelectInput, TextInput } from "react-admin";
import { useWatch } from "react-hook-form";
import { api, body, type Schemas } from "../../api/client";
import { isVanity } from "../../api/profiles";
import { useRead } from "../../api/useRead";
import { FormDialog } from "../../components/form/FormDialog";
import { Muted, When } from "../../components/text";
import { useDone } from "../../components/useAct";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { MemberOf } from "../discord/MemberOf";
import { Entries } from "./Entries";
import { profileAddress } from "./profileAddress";
import { ifMatch, type User } from "./user";

/** Where the user is signed in. */
export function DevicesPanel({ user }: { user: User }) {
  const t = useText();
  const mayWrite = useCan("admin.users");
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <Entries
        title={t("users.devices.title")}
        hint={t("users.devices.hint")}
        actions={
          mayWrite && <Button onClick={() => setAdding(true)}>{t("users.devices.add")}</Button>
        }
        queryKey={["users", user.id, "devices"]}
        read={async () => {
          const params = { path: { id: user.id } };
          return (await body(api.GET("/api/users/{id}/devices", { params }))).devices;
        }}
        empty={t("users.devices.none")}
        entry={(device) => (
          <Box>
            <Typography variant="body2" sx={{ fontWeight: 550, overflowWrap: "anywhere" }}>
              {device.name}
            </Typography>
            <Typography
              variant="caption"
              color="textSecondary"
              component="div"
              sx={{ overflowWrap: "anywhere" }}
            >
              {t("users.devices.lastActive")} <When at={device.last_active} /> · {device.user_agent}
            </Typography>
          </Box>
        )}
        removal={
          mayWrite && {
            name: ({ name }) => name,
            title: ({ name }) => t("users.devices.removeTitle", { name }),
            text: () => t("users.devices.removeText"),
            run: ({ id }) =>
              api.DELETE("/api/users/{userId}/devices/{deviceId}", {
                params: { path: { userId: user.id, deviceId: id }, header: ifMatch(user) },
              }),
          }
        }
      />
      {isAdding && <AddDevice user={user} onClose={() => setAdding(false)} />}
    </>
  );
}

function AddDevice({ user, onClose }: { user: User; onClose: () => void }) {
  const t = useText();
  const done = useDone();
  return (
    <FormDialog
      title={t("users.devices.add")}
      fields={["name", "user_agent"]}
      submit={t("common.create")}
      save={async (values) => {
        const { name, user_agent } = values as Partial<Schemas["NewDevice"]>;
        await api.POST("/api/users/{id}/devices", {
          params: { path: { id: user.id }, header: ifMatch(user) },
          body: { name: name ?? "", user_agent: user_agent ?? "" },
        });
        done(t("common.created"));
      }}
      onClose={onClose}
    >
      <Muted>{t("users.devices.addText")}</Muted>
      <TextInput source="name" label={t("common.name")} autoFocus helperText={false} />
      <TextInput
        source="user_agent"
        label={t("users.devices.userAgent")}
        helperText={t("users.devices.userAgentHint")}
      />
    </FormDialog>
  );
}

/** What the user signs in with besides a password. */
export function IdentitiesPanel({ user }: { user: User }) {
  const t = useText();
  const mayWrite = useCan("admin.users");
  const titleOf = ({ provider }: Schemas["IdentityItem"]) => PROVIDERS[provider];
  return (
    <Entries
      title={t("users.identities.title")}
      hint={t("users.identities.hint")}
      queryKey={["users", user.id, "identities"]}
      read={async () => {
        const params = { path: { id: user.id } };
        return (await body(api.GET("/api/users/{id}/identities", { params }))).identities;
      }}
      empty={t("users.identities.none")}
      entry={(identity) => (
        <Box>
          <Typography variant="body2" sx={{ fontWeight: 550 }}>
            {titleOf(identity)}
          </Typography>
          <Typography variant="caption" color="textSecondary" component="div">
            {identity.subject}
            {identity.last_used_at !== null && (
              <>
                {" · "}
                {t("users.identities.lastUsed")} <When at={identity.last_used_at} />
              </>
            )}
          </Typography>
          {identity.provider === "discord" && (
            <MemberOf userId={user.id} profile={identity.subject} />
          )}
        </Box>
      )}
      removal={
        mayWrite && {
          name: titleOf,
          title: (identity) => t("users.identities.removeTitle", { provider: titleOf(identity) }),
          text: ({ subject }) => t("users.identities.removeText", { subject }),
          run: ({ id }) =>
            api.DELETE("/api/users/{userId}/identities/{identityId}", {
              params: { path: { userId: user.id, identityId: id }, header: ifMatch(user) },
            }),
        }
      }
    />
  );
}

/** Names, which are the same in all languages. */
const PROVIDERS: Record<Schemas["IdentityItem"]["provider"], string> = {
  steam: "Steam",
  discord: "Discord",
};

type SocialLink = Schemas["SocialLinkItem"];

function linksKey({ id }: User) {
  return ["users", id, "social-networks"];
}

async function readLinks({ id }: User): Promise<SocialLink[]> {
  const params = { path: { id } };
  return (await body(api.GET("/api/users/{id}/social-networks", { params }))).social_networks;
}

/** The profiles of the user elsewhere. */
export function LinksPanel({ user }: { user: User }) {
  const t = useText();
  const mayWrite = useCan("admin.users");
  const [isAdding, setAdding] = useState(false);
  const { data } = useRead(["social-networks", "choices"], () => api.GET("/api/social-networks"));
  const networks = data?.social_networks ?? [];
  const networkOf = (link: SocialLink) => networks.find(({ name }) => name === link.network);
  const titleOf = (link: SocialLink) => networkOf(link)?.title ?? link.network;
  return (
    <>
      <Entries
        title={t("common.resources.social_networks")}
        actions={
          mayWrite && <Button onClick={() => setAdding(true)}>{t("users.links.add")}</Button>
        }
        queryKey={linksKey(user)}
        read={() => readLinks(user)}
        empty={t("users.links.none")}
        entry={(link) => (
          <Box>
            <Typography variant="body2" sx={{ fontWeight: 550 }}>
              {titleOf(link)}
            </Typography>
            <Profile link={link} template={networkOf(link)?.url_template ?? ""} />
            {link.network === "discord" && <MemberOf userId={user.id} profile={link.profile_url} />}
          </Box>
        )}
        removal={
          mayWrite && {
            name: titleOf,
            title: (link) => t("users.links.removeTitle", { network: titleOf(link) }),
            text: ({ profile_url }) => t("users.links.removeText", { profile: profile_url }),
            run: ({ id }) =>
              api.DELETE("/api/users/{userId}/social-networks/{networkId}", {
                // The API calls it so, but it is the id of the link.
                params: { path: { userId: user.id, networkId: id }, header: ifMatch(user) },
              }),
          }
        }
      />
      {isAdding && <AddLink user={user} networks={networks} onClose={() => setAdding(false)} />}
    </>
  );
}

/** Leads to the profile where its address is known. */
function Profile({ link, template }: { link: SocialLink; template: string }) {
  const address = profileAddress(link.network, link.profile_url, template);
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

interface Props {
  user: User;
  networks: Schemas["SocialNetwork"][];
  onClose: () => void;
}

/** Links the user to a profile. A user has one on each network, so others are offered only. */
function AddLink({ user, networks, onClose }: Props) {
  const t = useText();
  const done = useDone();
  const { data } = useQuery({
    queryKey: linksKey(user),
    queryFn: () => readLinks(user),
  });
  const taken = data?.map(({ network }) => network);
  return (
    <FormDialog
      title={t("users.links.add")}
      fields={["network_id", "profile_url"]}
      submit={t("common.create")}
      save={async (values) => {
        const { network_id, profile_url } = values as Partial<Schemas["NewSocialLink"]>;
        await api.POST("/api/users/{id}/social-networks", {
          params: { path: { id: user.id }, header: ifMatch(user) },
          body: { network_id: network_id ?? 0, profile_url: profile_url ?? "" },
        });
        done(t("common.created"));
      }}
      onClose={onClose}
    >
      <SelectInput
        source="network_id"
        label={t("users.links.network")}
        choices={networks.filter(({ name }) => taken?.includes(name) !== true)}
        optionText="title"
        translateChoice={false}
        helperText={t("users.links.networkHint")}
      />
      <ProfileInput steam={networks.find(({ name }) => name === "steam")?.id} />
    </FormDialog>
  );
}

/** Says so if the address of a Steam profile does not tell whose it is. `steam` is the network. */
function ProfileInput({ steam }: { steam: number | undefined }) {
  const t = useText();
  const [network, profile] = useWatch({ name: ["network_id", "profile_url"] }) as unknown[];
  const lacksId = network === steam && typeof profile === "string" && isVanity(profile);
  return (
    <TextInput
      source="profile_url"
      label={t("users.profile")}
      helperText={t(lacksId ? "users.links.vanity" : "users.links.profileHint")}
    />
  );
}
