import { Box, Typography } from "@mui/material";

/** The bell of a steward, and the name. */
export function Logo() {
  return (
    <Box sx={{ display: "flex", alignItems: "center", gap: 1.25 }}>
      <Box
        component="svg"
        viewBox="0 0 32 32"
        aria-hidden
        sx={{ width: 28, height: 28, flexShrink: 0 }}
      >
        <rect width="32" height="32" rx="8" fill="#4f52d8" />
        <path d="M9 20a7 7 0 0 1 14 0z" fill="#fff" />
        <circle cx="16" cy="11" r="1.75" fill="#fff" />
        <rect x="7" y="21.5" width="18" height="2.5" rx="1.25" fill="#fff" />
      </Box>
      <Typography sx={{ fontSize: 17, fontWeight: 700, letterSpacing: "-0.02em" }}>
        Steward
      </Typography>
    </Box>
  );
}
