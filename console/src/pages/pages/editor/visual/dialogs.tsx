import { Button, Stack, TextField } from "@mui/material";
import type { Editor } from "@tiptap/core";
import { type ReactNode, useState } from "react";
import { Modal } from "../../../../components/Modal";
import { useText } from "../../../../i18n";
import { isSafeImage, isSafeLink } from "./urls";

interface Props {
  editor: Editor;
  onClose: () => void;
}

/** Asks for the address of a link: of the one at the cursor, or for the selected text. */
export function LinkDialog({ editor, onClose }: Props) {
  const t = useText();
  const isNew = !editor.isActive("link");
  const before: unknown = editor.getAttributes("link").href;
  const [url, setUrl] = useState(typeof before === "string" ? before : "");

  const apply = () => {
    const href = url.trim();
    const chain = editor.chain().focus().extendMarkRange("link");
    if (isNew && editor.state.selection.empty) {
      chain.insertContent({ type: "text", text: href, marks: [{ type: "link", attrs: { href } }] });
    } else {
      chain.setLink({ href });
    }
    chain.run();
  };

  return (
    <Question
      title={t("pages.editor.tools.link")}
      apply={apply}
      onClose={onClose}
      isValid={url.trim() !== "" && isSafeLink(url)}
      actions={
        !isNew && (
          <Button
            color="error"
            onClick={() => {
              editor.chain().focus().extendMarkRange("link").unsetLink().run();
              onClose();
            }}
          >
            {t("common.remove")}
          </Button>
        )
      }
    >
      <TextField
        autoFocus
        label={t("pages.editor.link.url")}
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        error={!isSafeLink(url)}
        helperText={t(isSafeLink(url) ? "pages.editor.link.hint" : "pages.editor.link.refused")}
      />
    </Question>
  );
}

/** Asks for the address and the description of an image: the selected one, or a new one. */
export function ImageDialog({ editor, onClose }: Props) {
  const t = useText();
  const isNew = !editor.isActive("image");
  const [before] = useState(() => editor.getAttributes("image") as { src?: string; alt?: string });
  const [src, setSrc] = useState(before.src ?? "");
  const [alt, setAlt] = useState(before.alt ?? "");
  const isAllowed = isSafeImage(src) || src === before.src;

  const apply = () => {
    const attrs = { src: src.trim(), alt };
    const chain = editor.chain().focus();
    (isNew
      ? chain.insertContent({ type: "image", attrs })
      : chain.updateAttributes("image", attrs)
    ).run();
  };

  return (
    <Question
      title={t("pages.editor.tools.image")}
      apply={apply}
      onClose={onClose}
      isValid={src.trim() !== "" && isAllowed}
    >
      <TextField
        autoFocus
        label={t("pages.blocks.image.url")}
        value={src}
        onChange={(event) => setSrc(event.target.value)}
        error={!isAllowed}
        helperText={t(isAllowed ? "pages.blocks.imageHints.url" : "pages.editor.link.refused")}
      />
      <TextField
        label={t("pages.blocks.image.alt")}
        value={alt}
        onChange={(event) => setAlt(event.target.value)}
        helperText={t("pages.blocks.imageHints.alt")}
      />
    </Question>
  );
}

interface QuestionProps {
  title: string;
  isValid: boolean;
  apply: () => void;
  onClose: () => void;
  /** More buttons. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A dialog that is not a form: it is shown inside the form of the page. */
function Question({ title, isValid, apply, onClose, actions, children }: QuestionProps) {
  const t = useText();
  const submit = () => {
    if (isValid) {
      apply();
      onClose();
    }
  };
  return (
    <Modal
      title={title}
      onClose={onClose}
      actions={
        <>
          {actions}
          <Button onClick={onClose}>{t("common.cancel")}</Button>
          <Button variant="contained" disabled={!isValid} onClick={submit}>
            {t("pages.editor.apply")}
          </Button>
        </>
      }
    >
      <Stack
        sx={{ gap: 2, pt: 1 }}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            submit();
          }
        }}
      >
        {children}
      </Stack>
    </Modal>
  );
}
