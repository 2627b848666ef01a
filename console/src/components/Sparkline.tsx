import { useTokens } from "../theme/theme";

interface Props {
  values: (number | null)[];
  /** What it shows, in words. */
  label: string;
  width?: number;
  height?: number;
}

/** A tiny line without axes, for table cells. */
export function Sparkline({ values, label, width = 120, height = 28 }: Props) {
  const tokens = useTokens();
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const step = width / Math.max(1, values.length - 1);
  const points = values
    .map((value, index) =>
      value === null ? null : `${index * step},${height - 2 - (value / most) * (height - 4)}`,
    )
    .filter((point) => point !== null)
    .join(" ");
  return (
    <svg
      role="img"
      aria-label={label}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      <polyline points={points} fill="none" stroke={tokens.accent} strokeWidth="1.5" />
    </svg>
  );
}
