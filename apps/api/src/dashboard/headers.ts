/** What a page of the dashboard may do: nothing that is not from here, and no inline script at all (SPEC I5). */
export const dashboardPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    // The component library makes one style element; it bears the nonce of its page.
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Of every page and file of the dashboard, besides those of every answer. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy':
    'accelerometer=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), serial=(), usb=()',
};

/** The page with its nonce where its script finds it. Browsers hide it from everything that is not a script of the page. */
export function withNonce(index: string, nonce: string): string {
  return index.replace(/<head[^>]*>/i, (head) => `${head}\n    <meta property="csp-nonce" nonce="${nonce}" />`);
}
