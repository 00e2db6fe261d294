import { EventSourceParserStream } from 'eventsource-parser/stream';
import { eventually } from './process.js';

export interface Heard {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, string | null>;
}

/** Who follows a stream of server-sent events, with nothing of the SDK in between. */
export class Follower {
  readonly heard: Heard[] = [];
  /** Everything that came, byte for byte. */
  text = '';
  ended = false;

  private constructor(
    readonly status: number,
    private readonly abort: AbortController,
  ) {}

  static async open(url: string, token: string, last_event_id?: string): Promise<Follower> {
    const headers: Record<string, string> = { authorization: `Bearer ${token}` };
    if (last_event_id !== undefined) headers['last-event-id'] = last_event_id;
    const abort = new AbortController();
    const response = await fetch(url, { headers, signal: abort.signal });
    const follower = new Follower(response.status, abort);
    if (response.status !== 200) await response.body?.cancel();
    else void follower.read(response).catch(() => undefined);
    return follower;
  }

  /** Of these types: `run.updated succeeded`, in the order in which it came. */
  said(id?: string): string[] {
    return this.heard
      .filter(({ data }) => id === undefined || data.run_id === id || data.approval_id === id)
      .map(({ type, data }) => [type, data.state ?? data.status].filter(Boolean).join(' '));
  }

  async hears(what: string, look: (heard: readonly Heard[]) => boolean): Promise<void> {
    await eventually(`hears ${what}, after ${this.said().join(', ')}`, () => Promise.resolve(look(this.heard)));
  }

  /** Until it has heard this of this run or approval. */
  async hearsOf(id: string, words: string): Promise<void> {
    await this.hears(words, () => this.said(id).includes(words));
  }

  get last_id(): string {
    return this.heard.at(-1)?.id ?? '';
  }

  leave(): void {
    this.abort.abort();
  }

  private async read(response: Response): Promise<void> {
    try {
      if (!response.body) return;
      const text = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(
        new TransformStream<string, string>({
          transform: (chunk, controller) => {
            this.text += chunk;
            controller.enqueue(chunk);
          },
        }),
      );
      for await (const { id = '', event = '', data } of text.pipeThrough(new EventSourceParserStream())) {
        this.heard.push({ id, type: event, data: JSON.parse(data) as Heard['data'] });
      }
    } finally {
      this.ended = true;
    }
  }
}
