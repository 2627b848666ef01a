import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import { Link as RouterLink } from "react-router";
import { resource } from "../api/resources";
import { useText } from "../i18n";
import { grants, useSession } from "../session/session";
import { AuditActor } from "./audit/AuditActor";
import { type Entry, sentence } from "./audit/sentence";
import { subjectOf } from "./audit/subject";
import { useRecordName } from "./audit/useRecordName";
import { Phrase } from "./Phrase";

/** An entry of the audit log in words: `admin blocked user lunar_lancer`, with links. */
export function AuditSentence({ entry }: { entry: Entry }) {
  const t = useText();
  const { key, count } = sentence(entry);
  return (
    <Box component="span" sx={{ overflowWrap: "anywhere" }}>
      <Phrase
        text={t(key, { smart_count: count })}
        nodes={{
          actor: <AuditActor entry={entry} />,
          subject: <AuditSubject entry={entry} />,
          action: entry.action,
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
    <Link component={RouterLink} to={subject.path} sx={{ fontWeight: 600 }}>
      {text}
    </Link>
  );
}
