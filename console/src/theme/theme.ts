import { createTheme, type Theme, useTheme } from "@mui/material/styles";
import { dark, light, RADIUS, RADIUS_SMALL, type Tokens } from "./tokens";

const FONT =
  'Inter, "Segoe UI", system-ui, -apple-system, "Helvetica Neue", "Noto Sans", Arial, sans-serif';

function make(mode: "light" | "dark", tokens: Tokens): Theme {
  return createTheme({
    palette: {
      mode,
      primary: { main: tokens.accent, contrastText: tokens.onAccent },
      secondary: { main: tokens.accent, contrastText: tokens.onAccent },
      success: { main: tokens.good },
      warning: { main: tokens.warn },
      error: { main: tokens.bad, contrastText: mode === "light" ? "#ffffff" : "#2b0f0d" },
      background: { default: tokens.background, paper: tokens.paper },
      text: { primary: tokens.text, secondary: tokens.muted },
      divider: tokens.border,
      action: { hover: tokens.hover },
    },
    shape: { borderRadius: RADIUS_SMALL },
    typography: {
      fontFamily: FONT,
      fontSize: 14,
      h1: { fontSize: "1.5rem", fontWeight: 650, letterSpacing: "-0.015em", lineHeight: 1.25 },
      h2: { fontSize: "1.0625rem", fontWeight: 650, letterSpacing: "-0.01em" },
      h3: { fontSize: "0.9375rem", fontWeight: 600 },
      button: { textTransform: "none", fontWeight: 600 },
      overline: { fontSize: "0.6875rem", fontWeight: 650, letterSpacing: "0.06em" },
    },
    components: {
      MuiCssBaseline: {
        styleOverrides: {
          body: { fontVariantNumeric: "tabular-nums" },
          ":focus-visible": { outline: `2px solid ${tokens.accent}`, outlineOffset: 2 },
          // Only what a page says goes onto paper, dark on light in any theme.
          "@media print": {
            ":root": { colorScheme: "light !important" },
            "header, .MuiButton-root, .MuiIconButton-root, .MuiSnackbar-root": {
              display: "none !important",
            },
            "*": { color: "#000 !important", backgroundColor: "transparent !important" },
          },
          "@media (prefers-reduced-motion: reduce)": {
            "*": {
              animationDuration: "0.01ms !important",
              transitionDuration: "0.01ms !important",
            },
          },
        },
      },
      MuiPaper: { styleOverrides: { root: { backgroundImage: "none" } } },
      MuiCard: {
        defaultProps: { variant: "outlined" },
        styleOverrides: { root: { borderRadius: RADIUS } },
      },
      MuiDialog: { styleOverrides: { paper: { borderRadius: RADIUS, backgroundImage: "none" } } },
      MuiDialogTitle: { styleOverrides: { root: { fontSize: "1.125rem", fontWeight: 650 } } },
      MuiDialogActions: { styleOverrides: { root: { padding: "12px 24px 20px" } } },
      MuiButton: {
        defaultProps: { disableElevation: true, size: "small" },
        styleOverrides: { root: { paddingInline: 14, minHeight: 34 } },
      },
      MuiTextField: { defaultProps: { size: "small", variant: "outlined" } },
      MuiFormControl: { defaultProps: { size: "small", variant: "outlined" } },
      MuiOutlinedInput: {
        styleOverrides: {
          root: { backgroundColor: tokens.paper },
          notchedOutline: { borderColor: mode === "light" ? "#8b93a3" : "#667085" },
        },
      },
      MuiTableCell: {
        styleOverrides: {
          root: { borderColor: tokens.border, paddingBlock: 10 },
          head: {
            color: tokens.muted,
            backgroundColor: tokens.paper,
            fontSize: "0.8125rem",
            fontWeight: 600,
            whiteSpace: "nowrap",
          },
        },
      },
      MuiTooltip: {
        defaultProps: { arrow: true, enterDelay: 400 },
        styleOverrides: { tooltip: { fontSize: "0.8125rem" } },
      },
      MuiChip: { styleOverrides: { root: { fontWeight: 550 } } },
      MuiTab: { styleOverrides: { root: { minHeight: 44, fontSize: "0.875rem" } } },
      MuiTabs: { styleOverrides: { root: { minHeight: 44 } } },
      MuiLink: { defaultProps: { underline: "hover" } },
      MuiAlert: { styleOverrides: { root: { borderRadius: RADIUS_SMALL } } },
    },
  });
}

const THEMES = new Map<string, Theme>();

/** A theme is made when it is first shown: making one takes a while on a phone. */
export function themeOf(mode: "light" | "dark"): Theme {
  const theme = THEMES.get(mode) ?? make(mode, mode === "dark" ? dark : light);
  THEMES.set(mode, theme);
  return theme;
}

/** The colours of the theme that is shown. */
export function useTokens(): Tokens {
  return useTheme().palette.mode === "dark" ? dark : light;
}
