import Add from "@mui/icons-material/Add";
import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import { Box, Button, Typography } from "@mui/material";
import { SelectInput } from "react-admin";
import { useFieldArray, useFormContext, useWatch } from "react-hook-form";
import type { Schemas } from "../../../api/client";
import { IconAction } from "../../../components/IconAction";
import { useText } from "../../../i18n";
import { AmountInput } from "../AmountInput";
import { useCurrencies } from "../choices";
import { NothingYet } from "../NothingYet";

type Price = Partial<Schemas["ProductPrice"]>;

/** The prices of a product, one for each currency that it is sold in. */
export function PricesInput() {
  const t = useText();
  const currencies = useCurrencies();
  const { control } = useFormContext();
  const { fields, append, remove } = useFieldArray({ control, name: "prices" });
  const prices = (useWatch({ name: "prices" }) ?? []) as Price[];
  const isReadOnly = useFormContext().formState.disabled;
  const free = currencies.filter(({ id }) => !prices.some((price) => price.currency_id === id));
  return (
    <Box role="group" aria-labelledby="prices-title">
      <Typography id="prices-title" variant="h3" component="h2" sx={{ mb: 1.5 }}>
        {t("products.prices")}
      </Typography>
      {fields.map(({ id }, index) => (
        <Box
          key={id}
          sx={{
            display: "grid",
            gap: 1,
            mb: 1.5,
            alignItems: "start",
            gridTemplateColumns: "minmax(0, 1fr) minmax(0, 1fr) 40px",
            "& .MuiFormControl-root": { m: 0, minWidth: 0 },
          }}
        >
          <AmountInput source={`prices.${index}.amount`} label={t("products.price")} required />
          <SelectInput
            source={`prices.${index}.currency_id`}
            label={t("payments.currency")}
            choices={currencies
              .filter(
                ({ id: one }) =>
                  prices[index]?.currency_id === one || free.some((f) => f.id === one),
              )
              .map(({ id: one, code }) => ({ id: one, name: code }))}
            translateChoice={false}
            helperText={false}
            isRequired
          />
          {!isReadOnly && fields.length > 1 && (
            <IconAction
              icon={DeleteOutlined}
              tip={t("products.removePrice", { number: index + 1 })}
              onClick={() => remove(index)}
            />
          )}
        </Box>
      ))}
      {currencies.length === 0 && <NothingYet of="currencies" />}
      {!isReadOnly && free.length > 0 && (
        <Button
          startIcon={<Add />}
          onClick={() => append({ amount: "", currency_id: free[0]?.id ?? "" })}
        >
          {t("products.addPrice")}
        </Button>
      )}
    </Box>
  );
}
