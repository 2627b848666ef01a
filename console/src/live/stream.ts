/**
 * Reads a stream of server-sent events. The browser's own `EventSource` wants the name of every kind
 * of event in advance, and does not say why a stream was refused.
 */
export interface Message {
  id: string;
  data: string;
}

/** Splits text that arrives in pieces into messages. Comments and unknown fields are skipped. */
export class Parser {
  private rest = "";
  private id = "";
  private data: string[] = [];

  push(text: string): Message[] {
    const lines = (this.rest + text).split(/\r\n|\n/);
    this.rest = lines.pop() ?? "";
    const messages: Message[] = [];
    for (const line of lines) {
      if (line === "") {
        if (this.data.length > 0) {
          messages.push({ id: this.id, data: this.data.join("\n") });
        }
        this.data = [];
      } else if (line.startsWith("id:")) {
        this.id = line.slice(3).trimStart();
      } else if (line.startsWith("data:")) {
        this.data.push(line.slice(5).trimStart());
      }
    }
    return messages;
  }
}

/** Yields the messages of one connection, until it ends. Throws if it is refused. */
export async function* open(url: string, after: string | null, signal: AbortSignal) {
  const headers = new Headers({ Accept: "text/event-stream" });
  if (after !== null) {
    headers.set("Last-Event-ID", after);
  }
  const response = await fetch(url, { headers, signal });
  if (!response.ok || response.body === null) {
    throw new Error(`the stream was refused with ${response.status}`);
  }
  const parser = new Parser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    yield parser.push(value);
  }
}
