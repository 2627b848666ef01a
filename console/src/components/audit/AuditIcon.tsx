import type { SvgIconComponent } from "@mui/icons-material";
import Add from "@mui/icons-material/Add";
import Block from "@mui/icons-material/Block";
import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import EditOutlined from "@mui/icons-material/EditOutlined";
import ErrorOutlined from "@mui/icons-material/ErrorOutlined";
import LoginOutlined from "@mui/icons-material/LoginOutlined";
import Box from "@mui/material/Box";
import { useTokens } from "../../theme/theme";

type Tone = "good" | "warn" | "bad" | "neutral";

/** The kinds of changes that stand out. Everything else is a change like any other. */
const LOOKS: [RegExp, SvgIconComponent, Tone][] = [
  [/sessions\.create$/, LoginOutlined, "neutral"],
  [/\.fail$/, ErrorOutlined, "warn"],
  [/\.(block|disable)$/, Block, "warn"],
  [/\.(delete|erase|reset|remove_\w+)$/, DeleteOutlined, "bad"],
  [/\.(create|add_\w+)$/, Add, "good"],
];

/** A sign for the kind of an action. The sentence beside it says the same. */
export function AuditIcon({ action }: { action: string }) {
  const tokens = useTokens();
  const [, Icon, tone] = LOOKS.find(([pattern]) => pattern.test(action)) ?? [
    null,
    EditOutlined,
    "neutral" as const,
  ];
  const colours = {
    good: { color: tokens.good, bgcolor: tokens.goodSoft },
    warn: { color: tokens.warn, bgcolor: tokens.warnSoft },
    bad: { color: tokens.bad, bgcolor: tokens.badSoft },
    neutral: { color: tokens.muted, bgcolor: tokens.inset },
  }[tone];
  return (
    <Box
      aria-hidden
      sx={{
        ...colours,
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
