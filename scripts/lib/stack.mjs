import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntilReady } from './api.mjs';
import { ROOT } from './build.mjs';
import { Children } from './children.mjs';
import { allowedBins, nodeForEveryone } from './programs.mjs';
import { Stop, step } from './progress.mjs';

const DATABASE = 'hcp';

/**
 * The whole product on this machine: PostgreSQL, API, worker. `stop` ends what was started, in order.
 */
export class Stack {
  #server = null;
  #children = null;
  #crash = null;

  /**
   * @param {{ state: import('./state.mjs').State, host: string, port: number, public_url: string,
   *   onCrash: (message: string) => void }} options
   */
  constructor(options) {
    this.options = options;
    this.state = options.state;
    this.url = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${options.port}`;
  }

  /** The application's connection string. */
  get app_url() {
    return this.#roleUrl('hcp_app', this.state.databaseSecrets().app);
  }

  async startDatabase() {
    const { startPostgresServer } = await import('@hcp/testing');
    const { createRoles, migrate } = await import('@hcp/database');
    const secrets = this.state.databaseSecrets();
    this.state.rootKey();
    const dir = this.state.makeRuntimeDir();
    await step('starting PostgreSQL', async () => {
      this.#server = await startPostgresServer({
        dir: join(dir, 'postgres'),
        password: secrets.superuser,
        onExit: (log) => this.#crashed(`postgres ended by itself:\n${log.trim().split('\n').slice(-15).join('\n')}`),
      });
    });
    process.stdout.write(
      `  its data is in ${join(dir, 'postgres')}\n  after the end, this removes everything: ${this.state.removal}\n`,
    );
    await step('migrating the database', async () => {
      await createRoles({
        superuser_url: this.#server.superuserUrl(),
        database: DATABASE,
        owner_password: secrets.owner,
        app_password: secrets.app,
        queue_password: secrets.queue,
      });
      await migrate({ owner_url: this.#roleUrl('hcp_owner', secrets.owner) });
    });
  }

  async startProcesses() {
    const { reachableByOthers } = await import('@hcp/testing');
    const data_dir = join(this.state.runtime_dir, 'data');
    mkdirSync(data_dir, { recursive: true });
    // The sandbox's unprivileged users pass through here.
    chmodSync(data_dir, 0o755);
    this.#children = new Children(this.state.path('logs'), (name, how, lines) => {
      this.#crashed(`${name} ${how}. Its last lines:\n${lines.map((line) => `  ${line}`).join('\n')}`);
    });
    const node = nodeForEveryone(this.state.runtime_dir, reachableByOthers);
    const common = this.#commonEnvironment();
    this.#children.start('worker', node, [join(ROOT, 'apps/worker/dist/main.js')], {
      ...common,
      HCP_DATA_DIR: data_dir,
      PUBLIC_URL: this.options.public_url,
      HCP_SANDBOX_DRIVER: process.env.HCP_SANDBOX_DRIVER ?? 'auto',
      HCP_ALLOW_UPLOADED_PACKS: 'bubblewrap',
      HCP_ALLOWED_BINS: process.env.HCP_ALLOWED_BINS ?? allowedBins(),
    });
    this.#children.start('api', process.execPath, [join(ROOT, 'apps/api/dist/main.js')], {
      ...common,
      HCP_DATA_DIR: data_dir,
      HOST: this.options.host,
      PORT: String(this.options.port),
      PUBLIC_URL: this.options.public_url,
    });
    return step('starting api and worker', () => waitUntilReady(this.url, () => this.#throwCrash()));
  }

  async stop() {
    await this.#children?.stop();
    await this.#server?.stop();
  }

  #commonEnvironment() {
    const { PATH, HOME, LANG, TZ, LOG_LEVEL, HCP_EGRESS_ALLOW_PRIVATE } = process.env;
    const passed = { HOME, LANG, TZ, LOG_LEVEL, HCP_EGRESS_ALLOW_PRIVATE };
    const given = Object.fromEntries(Object.entries(passed).filter(([, value]) => value));
    return {
      ...given,
      // Where setpriv and its like are, on machines whose users have a short PATH.
      PATH: [PATH, '/usr/local/sbin', '/usr/sbin', '/sbin'].filter(Boolean).join(':'),
      NODE_ENV: 'development',
      DATABASE_URL: this.app_url,
      QUEUE_DATABASE_URL: this.#roleUrl('hcp_queue', this.state.databaseSecrets().queue),
      HCP_ROOT_KEY: this.state.rootKey(),
      HCP_STATE_DIR: this.state.dir,
    };
  }

  #roleUrl(role, password) {
    return `postgresql://${role}:${password}@127.0.0.1:${this.#server.port}/${DATABASE}`;
  }

  #crashed(message) {
    this.#crash ??= message;
    this.options.onCrash(message);
  }

  #throwCrash() {
    if (this.#crash !== null) throw new Stop(this.#crash);
  }
}
