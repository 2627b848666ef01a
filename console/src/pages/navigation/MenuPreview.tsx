import OpenInNew from "@mui/icons-material/OpenInNew";
import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import { useText } from "../../i18n";
import { useTokens } from "../../theme/theme";
import type { Branch, Visitor } from "./visitor";

interface Props {
  menu: Branch[];
  device: Visitor["device"];
}

/** A menu with everything open: side by side on a desktop, one below the other on a phone. */
export function MenuPreview({ menu, device }: Props) {
  const t = useText();
  const tokens = useTokens();
  const isPhone = device === "mobile";
  return (
    <Box
      component="nav"
      aria-label={t("navigation.preview.title")}
      sx={{
        border: isPhone ? 6 : 1,
        borderColor: "divider",
        borderRadius: isPhone ? 5 : 1,
        bgcolor: tokens.inset,
        maxWidth: isPhone ? 300 : "none",
        minHeight: isPhone ? 420 : 160,
        mx: "auto",
        p: 2,
      }}
    >
      {menu.length === 0 ? (
        <Typography color="textSecondary">{t("navigation.preview.nothing")}</Typography>
      ) : (
        <Box
          component="ul"
          sx={{
            m: 0,
            p: 0,
            listStyle: "none",
            display: "grid",
            gap: isPhone ? 1.5 : 2.5,
            gridTemplateColumns: isPhone
              ? "minmax(0, 1fr)"
              : "repeat(auto-fill, minmax(120px, 1fr))",
          }}
        >
          {menu.map((branch) => (
            <Entry key={branch.item.id} branch={branch} level={0} />
          ))}
        </Box>
      )}
    </Box>
  );
}

function Entry({ branch, level }: { branch: Branch; level: number }) {
  const { item, children } = branch;
  return (
    <li>
      <Typography
        component="span"
        sx={{
          fontSize: level === 0 ? 14.5 : 13.5,
          fontWeight: level === 0 ? 650 : 400,
          color: level === 0 ? "text.primary" : "text.secondary",
          overflowWrap: "anywhere",
        }}
      >
        {item.title}
        {item.new_tab && <OpenInNew sx={{ fontSize: 13, ml: 0.5, verticalAlign: "-2px" }} />}
      </Typography>
      {children.length > 0 && (
        <Box
          component="ul"
          sx={{ m: 0, mt: 0.5, p: 0, pl: level === 0 ? 0 : 1.5, listStyle: "none" }}
        >
          {children.map((child) => (
            <Entry key={child.item.id} branch={child} level={level + 1} />
          ))}
        </Box>
      )}
    </li>
  );
}
