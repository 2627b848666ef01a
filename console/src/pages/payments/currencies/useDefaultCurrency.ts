import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../../api/client";
import { useCan } from "../../../session/session";
import { useCurrencies } from "../choices";

/** The default currency. The list does not name it, so that each one is asked for. */
export function useDefaultCurrency() {
  const canRead = useCan("admin.currencies.read");
  const ids = useCurrencies().map(({ id }) => id);
  const { data } = useQuery({
    queryKey: ["currencies", "default", ids],
    queryFn: async () => {
      const found = await Promise.all(
        ids.map((id) => body(api.GET("/api/currencies/{id}", { params: { path: { id } } }))),
      );
      return found.map(({ currency }) => currency).find(({ is_default: isDefault }) => isDefault);
    },
    enabled: canRead && ids.length > 0,
  });
  return data;
}

/** The code of the currency that exchange rates refer to, as far as it is clear which one it is. */
export function useBaseCode(): string | undefined {
  const found = useDefaultCurrency();
  return found?.exchange_rate === 1 ? found.code : undefined;
}
