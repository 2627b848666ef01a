import Box from "@mui/material/Box";
import { useText } from "../../i18n";
import { useFormat } from "../../i18n/format";
import { useTokens } from "../../theme/theme";
import { growth } from "./period";

/** How a number compares with that of the period before. */
export function Growth({ now, before }: { now: number; before: number }) {
  const t = useText();
  const format = useFormat();
  const tokens = useTokens();
  const part = growth(now, before);
  if (part === null) {
    return t("dashboard.noneBefore");
  }
  const share = format.number(part, {
    style: "percent",
    maximumFractionDigits: Math.abs(part) < 0.1 ? 1 : 0,
    signDisplay: "exceptZero",
  });
  const colour = part === 0 ? tokens.muted : part > 0 ? tokens.good : tokens.bad;
  return (
    <>
      <Box component="span" sx={{ color: colour, fontWeight: 600 }}>
        {share}
      </Box>{" "}
      {t("dashboard.thanBefore")}
    </>
  );
}
