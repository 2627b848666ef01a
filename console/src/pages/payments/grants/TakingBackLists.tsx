import { Box, Skeleton, Typography } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../../api/client";
import { ApiError } from "../../../api/error";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { type Product, useRoleName } from "../products/product";
import { type Line, takingBack } from "./takingBack";

/** What revoking a grant takes back, and what stays, before it happens. */
export function TakingBackLists({ grantId }: { grantId: number }) {
  const t = useText();
  const mayRead = useCan("admin.products.read");
  const { data, isError } = useQuery({
    queryKey: ["grants", grantId, "taking back"],
    queryFn: () => read(grantId),
    enabled: mayRead,
  });
  if (!mayRead || isError) {
    return <Box sx={{ mt: 1.5 }}>{t("grants.back.hidden")}</Box>;
  }
  if (data === undefined) {
    return <Skeleton variant="rounded" height={96} sx={{ mt: 1.5 }} aria-busy />;
  }
  return (
    <>
      <Lines title={t("grants.back.title")} lines={data.back} />
      {data.stays.length > 0 && <Lines title={t("grants.back.stays")} lines={data.stays} />}
    </>
  );
}

async function read(id: number) {
  const { grant } = await body(api.GET("/api/grants/{id}", { params: { path: { id } } }));
  const path = { id: grant.product_id };
  const product = await body(api.GET("/api/products/{id}", { params: { path } })).catch(
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 404) {
        return null;
      }
      throw error;
    },
  );
  return takingBack(grant, (product?.product as Product | undefined) ?? null);
}

function Lines({ title, lines }: { title: string; lines: Line[] }) {
  const t = useText();
  const lineText = useLineText();
  return (
    <Box sx={{ mt: 1.5 }}>
      <Typography variant="body2" color="textPrimary" sx={{ fontWeight: 600 }}>
        {title}
      </Typography>
      {lines.length === 0 ? (
        t("grants.back.nothing")
      ) : (
        <Box component="ul" aria-label={title} sx={{ m: 0, pl: 2.5 }}>
          {lines.map((line, index) => (
            <li key={index}>{lineText(line)}</li>
          ))}
        </Box>
      )}
    </Box>
  );
}

function useLineText(): (line: Line) => string {
  const t = useText();
  const roleName = useRoleName();
  return (line) => {
    if ("count" in line) {
      return t(`grants.back.${line.kind}`, { smart_count: line.count });
    }
    return t(`grants.back.${line.kind}`, "roleId" in line ? { role: roleName(line.roleId) } : {});
  };
}
