import type { OpenPage } from '../../app/open-address.js';
import { Invitation } from './invitation.js';
import { Reset } from './reset.js';

/** What links in mails lead to; nobody has to be signed in here. */
export default function OpenPages({ page }: { page: OpenPage }) {
  return page === 'invitation' ? <Invitation /> : <Reset />;
}
