import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from '../app.module.js';
import type { Env } from './env.js';
import { openApiDocument } from './openapi.js';

/** The document that an API with these settings would serve, without starting one. */
export async function openApiOf(env: Env): Promise<OpenAPIObject> {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(env), new FastifyAdapter(), {
    logger: false,
    abortOnError: false,
  });
  return openApiDocument(app, env);
}
