import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { packJsonSchemas } from '@hcp/core';

/** Serves the JSON Schemas of a pack's files at `/docs/schemas/manifest.json` and so on, for editors (SPEC P1). Public, as the docs are. */
export function mountPackSchemas(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  for (const [name, schema] of Object.entries(packJsonSchemas())) {
    const text = JSON.stringify(schema);
    server.get(`/docs/schemas/${name}.json`, async (_request, reply) =>
      reply
        // Editors in a browser fetch it from their own origin; it holds nothing of anybody's.
        .header('access-control-allow-origin', '*')
        .header('cache-control', 'public, max-age=300')
        .type('application/schema+json')
        .send(text),
    );
  }
}
