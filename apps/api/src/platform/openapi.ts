import {
  execRequestSchema,
  FILE_TYPE,
  openApiSchema,
  problemSchema,
  ROUTES,
  type OperationId,
  type Route,
} from '@hcp/contracts';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import type { Env } from './env.js';

/** As the README has it. */
const TITLE = 'Hosted control plane for commands';

/** By its SPDX expression, as 3.1 has it; the library's type knows a URL alone. */
const LICENSE: { readonly name: string; readonly identifier: string } = {
  name: 'Proprietary',
  identifier: 'LicenseRef-Proprietary',
};

const TAGS: Readonly<Record<string, string>> = {
  auth: 'Signing in, and who the caller is.',
  sessions: 'Narrower sessions of the caller.',
  projects: 'Projects and their members.',
  members: 'Principals of the tenant and their roles.',
  agents: 'Agents and services.',
  roles: 'Named sets of grants.',
  grants: 'Rights to one capability.',
  'api-keys': 'Keys of principals.',
  bindings: 'Accounts that packs run with.',
  connections: 'People on the way to a provider and back.',
  providers: 'This installation as a client of services.',
  packs: 'Packs of commands, their versions and activation.',
  commands: 'Commands the caller can see.',
  exec: 'Running a command.',
  overview: 'The whole in numbers.',
  runs: 'Runs, their results and events.',
  audit: 'What happened, for whoever may read it.',
  meta: 'Health, keys and other metadata.',
};

/** The OpenAPI 3.1 document of the routes that are mounted (SPEC I1). */
export function openApiDocument(app: NestFastifyApplication, env: Pick<Env, 'PUBLIC_URL'>): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(TITLE)
    .setDescription('Runs commands of packs for humans, agents and products under one policy.')
    .setVersion('1')
    .addServer(env.PUBLIC_URL, 'This installation')
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        description: 'An access token from `POST /v1/auth/token`, or an API key `hcp_…`.',
      },
      'bearer',
    );
  const document = SwaggerModule.createDocument(app, builder.build(), {
    // Nest's own conversion aims at OpenAPI 3.0; the contracts give JSON Schema as 3.1 takes it.
    standardSchemaConverter: (schema, { schemaType }) => openApiSchema(schema as z.ZodType, schemaType),
  });
  document.info.license = LICENSE;
  // Named by reference alone: no handler validates with these two.
  const referred = {
    ...openApiSchema(problemSchema, 'output').components,
    ...openApiSchema(execRequestSchema, 'input').components,
  };
  document.components = { ...document.components, schemas: { ...document.components?.schemas, ...referred } };
  nameWildcards(document);
  describeFiles(document);
  const used = new Set(
    Object.values(document.paths).flatMap((item) =>
      Object.values(item as Record<string, { tags?: string[] }>).flatMap((operation) => operation.tags ?? []),
    ),
  );
  document.tags = [...used].sort().map((name) => ({ name, description: TAGS[name] ?? name }));
  return document;
}

type Operations = Record<string, { parameters?: { name?: string }[]; operationId?: string; responses?: object }>;

const operationsOf = (document: OpenAPIObject): Operations[] => Object.values(document.paths) as Operations[];

/** The rest of a path is `*` for the router and `{path}` in a document, whose parameters have to have that name. */
function nameWildcards(document: OpenAPIObject): void {
  for (const operation of operationsOf(document).flatMap((item) => Object.values(item))) {
    for (const parameter of operation.parameters ?? []) if (parameter.name === '*') parameter.name = 'path';
  }
}

/** Swagger knows one kind of answer for a status; where a file may come instead, that is the other. */
function describeFiles(document: OpenAPIObject): void {
  for (const operation of operationsOf(document).flatMap((item) => Object.values(item))) {
    const route: Route | undefined = ROUTES[operation.operationId as OperationId];
    if (route?.response_file !== true) continue;
    const answers = operation.responses as Record<string, { content?: Record<string, object> }>;
    const answer = answers[String(route.status)];
    if (answer) answer.content = { ...answer.content, [FILE_TYPE]: { schema: { type: 'string', format: 'binary' } } };
  }
}

/** Serves the document at `/openapi.json` and a page to read and try it at `/docs`, where `/` leads too while no dashboard is built. */
export function mountDocs(app: NestFastifyApplication, env: Pick<Env, 'PUBLIC_URL'>): void {
  let document: OpenAPIObject | undefined;
  const lazily = (): OpenAPIObject => (document ??= openApiDocument(app, env));
  SwaggerModule.setup('docs', app, lazily, {
    customSiteTitle: TITLE,
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
  });
  app
    .getHttpAdapter()
    .getInstance()
    .get('/', async (_request: unknown, reply: FastifyReply) => reply.redirect('/docs', 302));
}
