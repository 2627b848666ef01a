import CardGiftcardOutlined from "@mui/icons-material/CardGiftcardOutlined";
import ReceiptLongOutlined from "@mui/icons-material/ReceiptLongOutlined";
import { Alert } from "@mui/material";
import { BooleanInput, SelectInput, TextInput } from "react-admin";
import { useWatch } from "react-hook-form";
import { DeleteButton } from "../../../components/DeleteDialog";
import type { Values } from "../../../components/form/conflict";
import { CreatePage } from "../../../components/form/CreateForm";
import { EditForm } from "../../../components/form/EditForm";
import { RouteButton, RouteLink } from "../../../components/links";
import { ListPage, RecordLink, UnsortedColumn } from "../../../components/list/ListPage";
import { Page, Panel } from "../../../components/Page";
import { LabelledSwitch, SwitchColumn } from "../../../components/RecordSwitch";
import { recordPage } from "../../../components/recordPage";
import { State } from "../../../components/text";
import { useFormat, useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { useCurrencies } from "../choices";
import { PricesInput } from "./PricesInput";
import { type Product, type Step, useGives } from "./product";
import { StepsInput } from "./StepsInput";

const Column = UnsortedColumn<Product>;

export function ProductList() {
  const t = useText();
  const gives = useGives();
  const prices = usePrices();
  return (
    <ListPage<Product>
      resource="products"
      subtitle={t("products.subtitle")}
      filters={
        <SelectInput
          source="active"
          label={t("common.active")}
          choices={[
            { id: "true", name: t("common.yes") },
            { id: "false", name: t("common.no") },
          ]}
          emptyText={t("common.all")}
          translateChoice={false}
        />
      }
      card={(product) => ({
        title: product.name,
        detail: `${prices(product)} · ${gives(product.steps)}`,
        aside: <ProductState active={product.active} />,
      })}
    >
      <Column
        source="name"
        label={t("common.name")}
        render={({ id, name }) => <RecordLink to={`/products/${id}`}>{name}</RecordLink>}
      />
      <Column source="prices" label={t("products.prices")} render={prices} />
      <Column source="steps" label={t("products.gives")} render={({ steps }) => gives(steps)} />
      <SwitchColumn<Product>
        resource="products"
        field="active"
        title={t("products.on")}
        label={({ name }) => t("products.activeOf", { name })}
        name={({ name }) => name}
      />
    </ListPage>
  );
}

/** All prices of a product in a line. */
function usePrices(): (product: Pick<Product, "prices">) => string {
  const format = useFormat();
  const codes = new Map(useCurrencies().map(({ id, code }) => [id, code]));
  return ({ prices }) =>
    prices
      .map(({ amount, currency_id: id }) => format.money(amount, codes.get(id) ?? `#${id}`))
      .join(" · ");
}

/** Whether a product can be bought. */
function ProductState({ active }: { active: boolean }) {
  const t = useText();
  return (
    <State tone={active ? "good" : "neutral"} text={t(active ? "products.on" : "products.off")} />
  );
}

/** The fields of a product that its form changes. */
function useProductLabels() {
  const t = useText();
  return {
    name: t("common.name"),
    description: t("products.description"),
    prices: t("products.prices"),
    steps: t("products.gives"),
    choose_server: t("products.chooseServer"),
  };
}

/** The fields that are lists, with inputs for each item. */
const LISTS = ["prices", "steps"];

function ProductFields() {
  const t = useText();
  const labels = useProductLabels();
  const steps = (useWatch({ name: "steps" }) ?? []) as Step[];
  const hasServers = steps.some(({ kind }) => kind !== "role");
  return (
    <>
      <TextInput
        source="name"
        label={labels.name}
        helperText={false}
        slotProps={{ htmlInput: { maxLength: 100 } }}
        required
      />
      <TextInput
        source="description"
        label={labels.description}
        helperText={t("products.descriptionHint")}
        slotProps={{ htmlInput: { maxLength: 1000 } }}
        multiline
        minRows={2}
      />
      <PricesInput />
      <StepsInput />
      {hasServers && (
        <BooleanInput
          source="choose_server"
          label={labels.choose_server}
          helperText={t("products.chooseServerHint")}
        />
      )}
    </>
  );
}

/** What was not typed is refused by the service, field by field. */
function newProduct({ name, ...rest }: Values): Values {
  return { ...rest, name: name ?? "" };
}

export function ProductCreate() {
  const t = useText();
  const currencies = useCurrencies();
  const [first] = currencies;
  return (
    <CreatePage
      // The form is reset once the currencies are loaded.
      key={first?.id}
      resource="products"
      fields={[...Object.keys(useProductLabels()), "active"]}
      lists={LISTS}
      defaults={{
        active: true,
        choose_server: false,
        description: "",
        prices: [{ amount: "", currency_id: first?.id ?? "" }],
        steps: [],
      }}
      toBody={newProduct}
    >
      <ProductFields />
      <BooleanInput
        source="active"
        label={t("products.on")}
        helperText={t("products.activeHint")}
      />
    </CreatePage>
  );
}

/** Two versions of a product in words. */
function useShow(): (field: string, value: unknown) => string {
  const t = useText();
  const gives = useGives();
  const prices = usePrices();
  return (field, value) => {
    switch (field) {
      case "prices":
        return prices({ prices: value as Product["prices"] });
      case "steps":
        return gives(value as Step[]);
      case "choose_server":
        return t(value === true ? "common.yes" : "common.no");
      default:
        return String(value);
    }
  };
}

/** Whether the role of a step, or all its servers, were deleted. */
function hasLost(step: Step): boolean {
  return step.kind === "role" ? step.role_id === null : step.server_ids.length === 0;
}

export const ProductPage = recordPage("products", One);

function One({ record: product }: { record: Product }) {
  const t = useText();
  const fields = useProductLabels();
  const show = useShow();
  const mayWrite = useCan("admin.payments");
  const given = `/grants?product_id=${product.id}`;
  return (
    <Page
      narrow
      title={product.name}
      badge={<ProductState active={product.active} />}
      back="products"
      actions={
        <>
          <LabelledSwitch
            resource="products"
            record={product}
            field="active"
            label={t("products.activeOf", { name: product.name })}
            name={product.name}
            text={t("products.on")}
          />
          <RouteButton variant="outlined" startIcon={<CardGiftcardOutlined />} to={given}>
            {t("products.showGrants")}
          </RouteButton>
          {mayWrite && product.active && (
            <RouteButton
              variant="outlined"
              startIcon={<ReceiptLongOutlined />}
              to={`/invoices/create?product_id=${product.id}`}
            >
              {t("lists.create.invoices")}
            </RouteButton>
          )}
        </>
      }
    >
      {product.steps.some(hasLost) && (
        <Alert severity="warning" sx={{ mb: 2 }}>
          {t("products.lost")}
        </Alert>
      )}
      <Panel>
        <EditForm
          resource="products"
          record={product}
          fields={fields}
          lists={LISTS}
          show={show}
          actions={
            <DeleteButton
              resource="products"
              record={product}
              name={product.name}
              obstacle={
                <RouteLink to={given} sx={{ display: "block", mt: 2 }}>
                  {t("products.showGrants")}
                </RouteLink>
              }
            >
              {t("products.deleteHint")}
            </DeleteButton>
          }
        >
          <ProductFields />
        </EditForm>
      </Panel>
    </Page>
  );
}
