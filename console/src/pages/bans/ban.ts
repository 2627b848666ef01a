import type { SvgIconComponent } from "@mui/icons-material";
import Block from "@mui/icons-material/Block";
import MicOffOutlined from "@mui/icons-material/MicOffOutlined";
import SpeakerNotesOffOutlined from "@mui/icons-material/SpeakerNotesOffOutlined";
import VoiceOverOffOutlined from "@mui/icons-material/VoiceOverOffOutlined";
import type { RaRecord } from "react-admin";
import type { Schemas } from "../../api/client";
import type { ETAG } from "../../api/dataProvider";
import type { Tone } from "../../components/text";

/** A ban in a list. Mutes are bans of another kind. */
export type Ban = Schemas["BanItem"];

/** One ban, with the entity tag of the version that is shown. */
export type BanRecord = Schemas["BanDetail"] & RaRecord<number> & { [ETAG]?: string };

export type BanKind = Ban["kind"];
export type BanState = Ban["state"];

export const KINDS: readonly BanKind[] = ["ban", "mute", "gag", "silence"];
export const STATES: readonly BanState[] = ["active", "expired", "lifted"];

export const KIND_ICONS: Record<BanKind, SvgIconComponent> = {
  ban: Block,
  mute: MicOffOutlined,
  gag: SpeakerNotesOffOutlined,
  silence: VoiceOverOffOutlined,
};

export const STATE_TONES: Record<BanState, Tone> = {
  active: "bad",
  expired: "neutral",
  lifted: "neutral",
};

/** How long a ban is meant to last, in seconds; null for ever. */
export function secondsOf({ created_at: from, expires_at: to }: Ban): number | null {
  return to === null ? null : (Date.parse(to) - Date.parse(from)) / 1000;
}

/** What is known about who is banned, in few words. Null if it is only the number of a user. */
export function nameOf(ban: Pick<Ban, "player_name" | "steam_id64" | "ip_range">): string | null {
  return ban.player_name !== "" ? ban.player_name : (ban.steam_id64 ?? ban.ip_range);
}
