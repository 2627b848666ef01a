import { Box, Tab, Tabs } from "@mui/material";
import { type ReactNode, useId } from "react";
import { useAddress } from "./useAddress";

interface Props {
  /** What the tabs are about. */
  label: string;
  tabs: {
    name: string;
    text: string;
    content: ReactNode;
    /** Forms stay while another tab is shown, so that nothing typed is lost. */
    keepMounted?: boolean;
  }[];
}

/** Tabs of a page. The chosen one is in the address; the first one is shown without it. */
export function UrlTabs({ label, tabs }: Props) {
  const id = useId();
  const [search, change] = useAddress();
  const wanted = search.get("tab");
  const chosen = (tabs.find(({ name }) => name === wanted) ?? tabs[0])?.name ?? "";

  return (
    <>
      <Tabs
        value={chosen}
        onChange={(_, name: string) => change({ tab: name })}
        aria-label={label}
        variant="scrollable"
        scrollButtons={false}
        sx={{ mb: 2, borderBottom: 1, borderColor: "divider" }}
      >
        {tabs.map(({ name, text }) => (
          <Tab
            key={name}
            value={name}
            label={text}
            id={`${id}-${name}`}
            aria-controls={`${id}-${name}-panel`}
          />
        ))}
      </Tabs>
      {tabs.map(({ name, content, keepMounted }) => (
        <Box
          key={name}
          role="tabpanel"
          id={`${id}-${name}-panel`}
          aria-labelledby={`${id}-${name}`}
          hidden={name !== chosen}
        >
          {(name === chosen || keepMounted === true) && content}
        </Box>
      ))}
    </>
  );
}
