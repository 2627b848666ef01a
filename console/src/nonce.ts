/** What styles must carry to be accepted by the page's Content-Security-Policy. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
