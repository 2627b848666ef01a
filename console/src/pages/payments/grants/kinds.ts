import type { SvgIconComponent } from "@mui/icons-material";
import BadgeOutlined from "@mui/icons-material/BadgeOutlined";
import ExtensionOutlined from "@mui/icons-material/ExtensionOutlined";
import TerminalOutlined from "@mui/icons-material/TerminalOutlined";
import type { StepKind } from "../products/product";

/** The icons of the kinds of steps. */
export const KIND_ICONS: Record<StepKind, SvgIconComponent> = {
  role: BadgeOutlined,
  rcon: TerminalOutlined,
  plugin: ExtensionOutlined,
};
