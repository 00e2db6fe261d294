// A small service with an OAuth sign-in of its own, to try connections on. It asks nothing: everybody there is Ada.
// node drive.mjs PORT CLIENT_SECRET REDIRECT_URI
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const [port = '8086', client_secret = '', redirect_uri = ''] = process.argv.slice(2);
const origin = `http://127.0.0.1:${port}`;
const client = { client_id: 'hcp', client_secret, redirect_uris: [redirect_uri], response_types: ['code'] };

const provider = new Provider(origin, {
  clients: [{ ...client, grant_types: ['authorization_code', 'refresh_token', 'client_credentials'] }],
  cookies: { keys: ['for trying alone'] },
  scopes: ['openid', 'email', 'offline_access'],
  claims: { openid: ['sub'], email: ['email'] },
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, email: `${id}@drive.example` }) }),
  rotateRefreshToken: true,
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    revocation: { enabled: true },
  },
});
const signIn = provider.callback();

/** Signs Ada in and says yes for her, where another service would ask. */
async function consent(request, response) {
  const { prompt, params } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
  }
  const grant = new provider.Grant({ accountId: 'ada', clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

/** Whose files there are depends on the token; null where it is not one that was given here. */
async function ownerOf({ headers: { authorization = '' } }) {
  const token = authorization.replace(/^Bearer /, '');
  const person = await provider.AccessToken.find(token);
  return person?.accountId ?? (await provider.ClientCredentials.find(token))?.clientId ?? null;
}

const server = createServer(async (request, response) => {
  if (request.url.startsWith('/interaction/')) return consent(request, response);
  if (request.url !== '/files') return signIn(request, response);
  const owner = await ownerOf(request);
  response.writeHead(owner === null ? 401 : 200, { 'content-type': 'application/json' });
  return response.end(JSON.stringify(owner === null ? { error: 'who are you?' } : { owner, files: ['notes.txt'] }));
});
server.listen(Number(port), '127.0.0.1');
