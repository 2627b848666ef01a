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
  const isGap = (index: number) => (values[index] ?? null) === null;
  // A gap where there is no value. A value between two gaps is a dot: a line of no length.
  const path = values
    .map((value, index) => {
      if (value === null) {
        return "";
      }
      const point = `${index * step},${height - 2 - (value / most) * (height - 4)}`;
      return isGap(index - 1) ? `M${point}h0` : `L${point}`;
    })
    .join("");
  return (
    <svg
      role="img"
      aria-label={label}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      <path
        d={path}
        fill="none"
        stroke={tokens.accent}
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
