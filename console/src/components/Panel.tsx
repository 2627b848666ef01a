import Box from "@mui/material/Box";
import Card from "@mui/material/Card";
import Typography from "@mui/material/Typography";
import { type ReactNode, useId } from "react";

interface Props {
  title?: string;
  /** A sentence under the title. */
  hint?: ReactNode;
  actions?: ReactNode;
  /** Tables reach the edge of the panel. */
  flush?: boolean;
  children: ReactNode;
}

/** A group of things that belong together, with a border around it. */
export function Panel({ title, hint, actions, flush, children }: Props) {
  const id = useId();
  const isFlush = flush === true;
  return (
    <Card component="section" aria-labelledby={title === undefined ? undefined : id}>
      {(title !== undefined || actions !== undefined) && (
        <Box
          sx={{
            display: "flex",
            flexWrap: "wrap",
            alignItems: "center",
            gap: 1,
            px: 2.5,
            pt: 2,
            pb: isFlush ? 1.5 : 0,
          }}
        >
          <Box sx={{ flexGrow: 1, flexBasis: 200 }}>
            <Typography variant="h2" id={id}>
              {title}
            </Typography>
            {hint !== undefined && (
              <Typography variant="body2" color="textSecondary" component="div">
                {hint}
              </Typography>
            )}
          </Box>
          {actions}
        </Box>
      )}
      <Box sx={{ p: isFlush ? 0 : 2.5 }}>{children}</Box>
    </Card>
  );
}
