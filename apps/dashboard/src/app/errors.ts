import { HcpError } from '@hcp/sdk';

export interface Words {
  readonly title: string;
  /** What the person can do about it. */
  readonly next: string;
}

/** As people write it. */
export const sentence = (text: string): string => {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  const first = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
};

/** An error in words: what happened, and what next. */
export function wordsFor(error: unknown): Words {
  if (!(error instanceof HcpError)) {
    return { title: 'Something went wrong on this page', next: 'Reload the page. Nothing was run by it.' };
  }
  const said = sentence(error.message);
  switch (error.code) {
    case 'network':
      return {
        title: 'The server does not answer',
        next: 'Check your connection. The page tries again by itself as soon as it can.',
      };
    case 'unavailable':
      return { title: 'Not available at the moment', next: `${said} Try again in a moment.` };
    case 'invalid_credentials':
      return { title: 'Email or password is wrong', next: 'Check both, and whether the keyboard’s caps lock is on.' };
    case 'rate_limited':
      return { title: 'Too many attempts', next: 'Wait a minute, then try again.' };
    case 'not_found':
      return {
        title: 'There is no such thing here',
        next: 'It may have been removed, or it is not yours to see. Go back to the list.',
      };
    case 'forbidden':
    case 'missing_capability':
    case 'human_only':
      return { title: 'You may not do this', next: `${said} Ask somebody who manages access to grant it.` };
    case 'conflict':
      return { title: 'That does not go with what is there now', next: said };
    case 'invalid_request':
      return { title: 'That is not valid', next: said };
    default:
      return { title: 'That did not work', next: `${said} Try again; if it stays, tell whoever runs this server.` };
  }
}
