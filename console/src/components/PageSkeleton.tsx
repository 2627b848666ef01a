import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";

/** The shape of a page while it loads, so that nothing jumps when it arrives. */
export function PageSkeleton() {
  return (
    <Box aria-busy>
      <Skeleton variant="text" width={220} height={38} sx={{ mb: 2 }} />
      <Skeleton variant="rounded" height={420} sx={{ borderRadius: 3 }} />
    </Box>
  );
}
