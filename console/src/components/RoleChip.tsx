import { Box, Chip, type ChipProps, Tooltip } from "@mui/material";
import { useFormat, useText } from "../i18n";
import { useTokens } from "../theme/theme";
import { isSoon, shortTermText, termText } from "./term";
import { useNow } from "./text";
import { type Role, useRoles } from "./useRoles";

/** The colour of a role. Without one, an empty circle keeps the names in line. */
export function ColourDot({ colour }: { colour: string | undefined }) {
  return (
    <Box
      component="span"
      aria-hidden
      sx={{
        display: "inline-block",
        width: 12,
        height: 12,
        borderRadius: "50%",
        flexShrink: 0,
        border: 1,
        borderColor: colour ?? "divider",
        bgcolor: colour ?? "transparent",
      }}
    />
  );
}

interface Props extends Omit<ChipProps, "role"> {
  role: Role;
  /** Whether its term has few words. */
  short?: boolean;
}

/** Until when a role is held. What expires soon has other words, and stands out. */
export function RoleTerm({ expiresAt, short }: { expiresAt: string; short?: boolean }) {
  const t = useText();
  const format = useFormat();
  const tokens = useTokens();
  const now = useNow();
  return (
    <Box
      component="span"
      sx={{ fontWeight: 400, color: isSoon(expiresAt, now) ? tokens.warn : "text.secondary" }}
    >
      {(short === true ? shortTermText : termText)(t, format, expiresAt, now)}
    </Box>
  );
}

/**
 * A role with its colour, which is looked up where the role itself does not have it, and with its
 * term if it expires.
 */
export function RoleChip({ role, short = false, ...chip }: Props) {
  const format = useFormat();
  const known = useRoles().find(({ id }) => id === role.id);
  const { name, description = "", expires_at: end = null } = role;
  const tip = [description, end === null ? "" : format.exactMoment(end)].filter(Boolean);
  return (
    <Tooltip describeChild title={tip.join(" · ")}>
      <Chip
        size="small"
        variant="outlined"
        icon={
          <Box sx={{ display: "flex", pl: 0.5, pr: 0.5 }}>
            <ColourDot colour={role.color ?? known?.color} />
          </Box>
        }
        label={
          end === null ? (
            name
          ) : (
            <>
              {name} · <RoleTerm expiresAt={end} short={short} />
            </>
          )
        }
        // A term may take a second line on a phone.
        sx={
          end === null
            ? {}
            : { height: "auto", minHeight: 24, "& .MuiChip-label": { whiteSpace: "normal" } }
        }
        {...chip}
      />
    </Tooltip>
  );
}
