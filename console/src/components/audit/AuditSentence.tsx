import { Box, Tooltip } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import { request } from "../../api/client";
import { resource, type ResourceInfo, RESOURCES } from "../../api/resources";
import { type TextKey, useText } from "../../i18n";
import type { LiveEvent } from "../../live/events";
import { grants, useCan, useSession } from "../../session/session";
import { RouteLink } from "../links";
import {
  type Entry,
  MASKED,
  nameIn,
  NAMES,
  roleOf,
  sentence,
  type Subject,
  subjectOf,
} from "./sentence";

/** An entry of the audit log in words: `admin blocked user lunar_lancer`, with links. */
export function AuditSentence({ entry }: { entry: Entry }) {
  const t = useText();
  const kind = useBanKind(entry);
  const { key, count } = sentence(entry, kind);
  return (
    <Box component="span" sx={{ overflowWrap: "anywhere" }}>
      <Phrase
        text={t(key, { smart_count: count })}
        nodes={{
          actor: <AuditActor entry={entry} />,
          subject: <AuditSubject entry={entry} />,
          action: entry.action,
          role: <strong>{roleOf(entry)}</strong>,
        }}
      />
    </Box>
  );
}

function AuditSubject({ entry }: { entry: Entry }) {
  const t = useText();
  const session = useSession();
  const subject = subjectOf(entry);
  const name = useRecordName(subject);
  const text = name ?? (subject.id === null ? t("audit.nobody") : `#${subject.id}`);
  const mayOpen = subject.resource === null || grants(session, resource(subject.resource).read);
  return subject.path === null || !mayOpen ? (
    <strong>{text}</strong>
  ) : (
    <RouteLink to={subject.path} sx={{ fontWeight: 600 }}>
      {text}
    </RouteLink>
  );
}

/** Who made a change: an operator, an API key, or the service itself. */
function AuditActor({ entry }: { entry: Entry }) {
  const { user_id: userId, user_name: userName, key_id: keyId, key_name: keyName } = entry;
  if (userId !== null) {
    return <Actor kind="operator" id={userId} name={userName ?? MASKED} />;
  }
  return <Actor kind={keyId === null ? "system" : "key"} id={keyId} name={keyName} />;
}

/** Who is neither a key nor an operator, by the name that the log gives them. */
const NAMELESS: Record<string, TextKey> = {
  "command line": "audit.actors.commandLine",
  system: "audit.actors.system",
  console: "audit.actors.visitor",
};

/** The name of who acted, with a link. An operator and a key may have the same one, so a hint says. */
export function Actor({ kind, id, name }: LiveEvent["actor"]) {
  const t = useText();
  const canReadUsers = useCan("admin.users.read");
  const canReadKeys = useCan("admin.api-keys.read");
  if (kind !== "operator" && kind !== "key") {
    const known = NAMELESS[name];
    return <strong>{known === undefined ? name : t(known)}</strong>;
  }
  const text = name === MASKED ? t("audit.actors.erased") : name;
  const path = kind === "operator" ? `/users/${id}` : `/api-keys/${id}`;
  return (
    <Tooltip
      title={t(kind === "operator" ? "audit.actors.operator" : "common.apiKey")}
      describeChild
    >
      {(kind === "operator" ? canReadUsers : canReadKeys) ? (
        <RouteLink to={path} color="textPrimary" sx={{ fontWeight: 600 }}>
          {text}
        </RouteLink>
      ) : (
        <Box component="strong">{text}</Box>
      )}
    </Tooltip>
  );
}

const STALE_MS = 300_000;

/** The kind of the ban that an entry lifts: the log has the fields that changed, and it did not. */
function useBanKind(entry: Entry): string | null {
  const isLift = entry.action === "bans.lift";
  const { data } = useRecord(isLift ? subjectOf(entry) : null);
  return typeof data?.["kind"] === "string" ? data["kind"] : null;
}

/** The name of a record whose entry does not have it. */
function useRecordName(subject: Subject): string | null {
  const { name, resource } = subject;
  const { data } = useRecord(name === null ? subject : null);
  return name ?? (resource === null || data === undefined ? null : nameIn(resource, data));
}

/**
 * The record that an entry is about. One text of the key, and not the resource alone: a change of
 * one user must not ask for all others again.
 */
function useRecord(subject: Subject | null) {
  const session = useSession();
  const { resource = null, id = null } = subject ?? {};
  const info: ResourceInfo | null = resource === null ? null : RESOURCES[resource];
  return useQuery({
    queryKey: ["name of", `${resource}/${id}`],
    queryFn: async ({ signal }) => {
      const reply = await request("GET", `${info?.path}/${id}`, { signal });
      return reply.body[info?.one ?? ""] as Record<string, unknown>;
    },
    enabled:
      id !== null &&
      resource !== null &&
      NAMES[resource] !== undefined &&
      grants(session, info?.read ?? ""),
    staleTime: STALE_MS,
    retry: false,
  });
}

/** A text whose placeholders are filled with links or other nodes: `%{actor} blocked %{subject}`. */
function Phrase({ text, nodes }: { text: string; nodes: Record<string, ReactNode> }) {
  return text
    .split(/%\{(\w+)\}/)
    .map((piece, index) => (
      <Fragment key={index}>{index % 2 === 0 ? piece : nodes[piece]}</Fragment>
    ));
}
