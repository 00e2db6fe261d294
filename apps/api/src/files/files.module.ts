import { Inject, Injectable, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '@hcp/database';
import { DEFAULT_FILE_LIMITS, ProjectFiles, Workspaces } from '@hcp/workspaces';
import { PinoLogger } from 'nestjs-pino';
import { join } from 'node:path';
import type { Env } from '../platform/env.js';
import { ENV } from '../platform/tokens.js';
import { FilesController } from './files.controller.js';
import { FILES } from './tokens.js';

const SWEEP_MS = 3_600_000;

/** Removes what processes that died left beside the workspaces, at start and every hour. */
@Injectable()
class FilesLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  #timer: NodeJS.Timeout | null = null;

  constructor(
    @Inject(FILES) private readonly files: ProjectFiles | null,
    private readonly log: PinoLogger,
  ) {}

  onApplicationBootstrap(): void {
    const sweep = (): void => {
      this.files?.sweep(new Date()).catch((error: unknown) => this.log.error({ err: error }, 'files'));
    };
    sweep();
    this.#timer = setInterval(sweep, SWEEP_MS).unref();
  }

  onApplicationShutdown(): void {
    if (this.#timer) clearInterval(this.#timer);
  }
}

@Module({
  controllers: [FilesController],
  providers: [
    FilesLifecycle,
    {
      provide: FILES,
      inject: [ENV, Database],
      useFactory: (env: Env, db: Database): ProjectFiles | null => {
        if (env.HCP_DATA_DIR === undefined) return null;
        const workspaces = new Workspaces(join(env.HCP_DATA_DIR, 'workspaces'));
        const limits = {
          ...DEFAULT_FILE_LIMITS,
          total_bytes: env.HCP_WORKSPACE_BYTES,
          entries: env.HCP_WORKSPACE_ENTRIES,
        };
        return new ProjectFiles({ db, workspaces, limits });
      },
    },
  ],
})
export class FilesModule {}
