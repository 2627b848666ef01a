import Box from "@mui/material/Box";

/** A short piece of a line of a chart. */
export function Swatch({ colour, isDashed }: { colour: string; isDashed: boolean }) {
  return (
    <Box
      component="span"
      sx={{
        width: 14,
        flexShrink: 0,
        borderTop: 3,
        borderTopStyle: isDashed ? "dotted" : "solid",
        borderTopColor: colour,
      }}
    />
  );
}
