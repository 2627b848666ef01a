import type { SvgIconComponent } from "@mui/icons-material";
import Add from "@mui/icons-material/Add";
import Block from "@mui/icons-material/Block";
import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import EditOutlined from "@mui/icons-material/EditOutlined";
import ErrorOutlined from "@mui/icons-material/ErrorOutlined";
import FileDownloadOutlined from "@mui/icons-material/FileDownloadOutlined";
import LoginOutlined from "@mui/icons-material/LoginOutlined";
import { Box } from "@mui/material";
import { type Tone, useColours } from "../text";

/** The kinds of changes that stand out. Everything else is a change like any other. */
const LOOKS: [RegExp, SvgIconComponent, Tone][] = [
  [/sessions\.create$/, LoginOutlined, "neutral"],
  [/\.(fail|fail_delivery|attention|password_only)$/, ErrorOutlined, "warn"],
  [/\.(export|download)$/, FileDownloadOutlined, "neutral"],
  [/(\.(block|disable)|^bans\.create)$/, Block, "warn"],
  [/\.(delete|erase|reset|remove_\w+)$/, DeleteOutlined, "bad"],
  [/\.(create|add_\w+)$/, Add, "good"],
];

const OTHER = [null, EditOutlined, "neutral"] as const;

/** A sign for the kind of an action. The sentence beside it says the same. */
export function AuditIcon({ action }: { action: string }) {
  const [, Icon, tone] = LOOKS.find(([pattern]) => pattern.test(action)) ?? OTHER;
  return (
    <Box
      aria-hidden
      sx={{
        ...useColours(tone),
        width: 28,
        height: 28,
        mt: 0.25,
        borderRadius: "50%",
        display: "grid",
        placeItems: "center",
        flexShrink: 0,
      }}
    >
      <Icon sx={{ fontSize: 16 }} />
    </Box>
  );
}
