/**
 * A process that measures response times of a host beside a control server. Its first argument is `ProbeSettings`.
 */
import { request } from 'node:http';

export interface ProbeSettings {
  readonly health: string;
  readonly webhook: string;
  /** A server that does no other work, as the baseline of the machine. */
  readonly control: string;
  readonly everyMs: number;
}

export interface ProbeResult {
  /** Response times in milliseconds. */
  readonly health: readonly number[];
  readonly webhook: readonly number[];
  readonly control: readonly number[];
  /** Webhook calls with a 200 response. */
  readonly accepted: number;
  /** Other responses and errors, each once. */
  readonly others: readonly string[];
}

const { health, webhook, control, everyMs } = JSON.parse(process.argv[2] ?? '') as ProbeSettings;
const result = {
  health: [] as number[],
  webhook: [] as number[],
  control: [] as number[],
  accepted: 0,
  others: [] as string[],
};
const pending = new Set<Promise<void>>();

function measure(
  url: string,
  times: number[],
  method: string,
  onStatus = (_status: number): void => {},
): void {
  const startMs = performance.now();
  const done = new Promise<void>((resolve) => {
    const headers = { 'content-type': 'application/json' };
    const outgoing = request(url, { method, headers }, (incoming) => {
      incoming.resume().once('end', () => {
        times.push(performance.now() - startMs);
        onStatus(incoming.statusCode ?? 0);
        resolve();
      });
    });
    outgoing.once('error', (error) => {
      result.others.push(`${method} ${error.message}`);
      resolve();
    });
    outgoing.end(method === 'POST' ? '{"n":1}' : undefined);
  });
  pending.add(done);
  void done.finally(() => pending.delete(done));
}

const timer = setInterval(() => {
  measure(health, result.health, 'GET');
  measure(control, result.control, 'GET');
  measure(webhook, result.webhook, 'POST', (status) => {
    if (status === 200) result.accepted++;
    else result.others.push(`POST ${status}`);
  });
}, everyMs);

process.stdin.resume().once('end', () => {
  clearInterval(timer);
  void Promise.all(pending).then(() => {
    process.stdout.write(JSON.stringify({ ...result, others: [...new Set(result.others)] }));
  });
});
