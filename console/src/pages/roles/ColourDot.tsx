import Box from "@mui/material/Box";

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
        mr: 1.25,
        borderRadius: "50%",
        flexShrink: 0,
        border: 1,
        borderColor: colour ?? "divider",
        bgcolor: colour ?? "transparent",
      }}
    />
  );
}
