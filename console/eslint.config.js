import jsxA11y from "eslint-plugin-jsx-a11y";
import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "node_modules", "src/api/schema.ts", "test-results"] },
  ...tseslint.configs.strict,
  jsxA11y.flatConfigs.recommended,
  hooks.configs.flat["recommended-latest"] ?? hooks.configs["recommended-latest"],
  {
    rules: {
      "@typescript-eslint/no-non-null-assertion": "error",
      // Properties of the window: a variable that was forgotten would silently become one of them.
      "no-restricted-globals": [
        "error",
        "event",
        "length",
        "name",
        "origin",
        "parent",
        "status",
        "top",
      ],
      // Focus goes to the first field of a dialog, as the ARIA pattern of dialogs says.
      "jsx-a11y/no-autofocus": "off",
    },
  },
  {
    // The `use` of a fixture is Playwright's, not React's.
    files: ["tests/**"],
    rules: { "react-hooks/rules-of-hooks": "off" },
  },
);
