// A small HTTP API to try packs on: tickets of a help desk. node desk.mjs PORT TOKEN
import { createServer } from 'node:http';

const [port = '8085', token = ''] = process.argv.slice(2);
const tickets = new Map([['1', { id: '1', title: 'Printer on fire', open: true }]]);

const server = createServer(async (request, response) => {
  const answer = (status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (request.headers.authorization !== `Bearer ${token}`) return answer(401, { error: 'who are you?' });
  const url = new URL(request.url, 'http://desk');
  const [, first, id] = url.pathname.split('/').map(decodeURIComponent);
  if (first !== 'tickets') return answer(404, { error: 'no such thing' });
  let text = '';
  for await (const chunk of request) text += chunk;
  if (id === undefined && request.method === 'GET') {
    const wanted = url.searchParams.get('open');
    return answer(200, {
      tickets: [...tickets.values()].filter(({ open }) => wanted === null || String(open) === wanted),
    });
  }
  if (id === undefined && request.method === 'POST') {
    const ticket = { id: String(tickets.size + 1), ...JSON.parse(text), open: true };
    tickets.set(ticket.id, ticket);
    return answer(201, ticket);
  }
  const ticket = tickets.get(id);
  if (ticket === undefined) return answer(404, { error: 'no such ticket' });
  if (request.method === 'GET') return answer(200, ticket);
  if (request.method === 'DELETE') {
    tickets.delete(id);
    return answer(200, { deleted: id });
  }
  return answer(405, { error: 'not like this' });
});
server.listen(Number(port), '127.0.0.1');
