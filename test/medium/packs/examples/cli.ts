import { execa } from 'execa';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Ran {
  readonly exit: number | undefined;
  /** Standard output, or error where it failed, as JSON. */
  readonly out: Record<string, unknown>;
}

/** One of the example programs in a workspace of its own. */
export class ExampleCli {
  private constructor(
    private readonly bin: string,
    readonly workspace: string,
  ) {}

  static async start(name: string): Promise<ExampleCli> {
    const bin = fileURLToPath(new URL(`../../../../examples/packs/${name}/bin/${name}`, import.meta.url));
    return new ExampleCli(bin, await mkdtemp(join(tmpdir(), `${name}-`)));
  }

  async run(...argv: string[]): Promise<Ran> {
    const { exitCode, stdout, stderr } = await execa(process.execPath, [this.bin, ...argv, '--json'], {
      cwd: this.workspace,
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    });
    return { exit: exitCode, out: JSON.parse(exitCode === 0 ? stdout : stderr) as Record<string, unknown> };
  }

  end(): Promise<void> {
    return rm(this.workspace, { recursive: true, force: true });
  }
}
