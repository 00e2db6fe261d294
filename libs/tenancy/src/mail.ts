export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** How a link reaches a person. */
export interface Mailer {
  /** True where a mail reaches its person and nobody else; where it is false, an inviter gets the link to pass on. */
  readonly delivers: boolean;
  /** Resolves when the mail was taken over. */
  send(mail: Mail): Promise<void>;
}

export interface LinkDeps {
  readonly mailer: Mailer;
  /** Where people reach this API. */
  readonly public_url: string;
}

/** The token stands behind the `#`, which no browser sends and no server logs. */
export const link = (public_url: string, page: 'invitation' | 'reset', token: string): string =>
  `${public_url}/${page}#${token}`;
