import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createHostMetrics } from '../../src/host/server/status-pages.js';
import { listOptions } from '../../src/tools/cli/command.js';
import { COMMANDS } from '../../src/tools/cli/commands.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

interface Compose {
  readonly services: Readonly<Record<string, { readonly command?: readonly string[] }>>;
}

interface Container {
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly readinessProbe: { readonly httpGet: { readonly path: string; readonly port: string } };
}

/** `--status-port=1` and `--status-port 1` are the option `status-port`. */
function commandLines(): readonly (readonly string[])[] {
  const image = JSON.parse(/^CMD (\[.*\])$/m.exec(read('.docker/Dockerfile'))?.[1] ?? '[]') as string[];
  const { services } = parse(read('.docker/compose.yaml'), { merge: true }) as Compose;
  const composed = ['serve', 'rest'].map((name) => services[name]?.command ?? []);
  const unit = /^ExecStart=\S+ \S+ (.+)$/m.exec(read('.docker/iml-serve.service'))?.[1]?.split(' ') ?? [];
  return [image, ...composed, unit, container().args];
}

function container(): Container {
  const [deployment] = parseAllDocuments(read('.docker/kubernetes.yaml')).map((one) => one.toJSON()) as {
    readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
  }[];
  const [first] = deployment?.spec.template.spec.containers ?? [];
  if (first === undefined) throw new Error('There is no container.');
  return first;
}

describe('the examples of operation', () => {
  it.each(commandLines())('use a command and options that exist: %s', async (name, ...args) => {
    const command = await COMMANDS[name]?.load();
    if (command === undefined) throw new Error(`There is no command "${name}".`);
    const options = args.filter((arg) => arg.startsWith('--')).map((arg) => arg.slice(2).split('=')[0]);
    expect(options.length).toBeGreaterThan(0);
    expect(Object.keys(listOptions(command))).toEqual(expect.arrayContaining(options));
  });

  it('probe the port that serves the status', () => {
    const { args, ports, readinessProbe } = container();
    const { containerPort } = ports.find(({ name }) => name === readinessProbe.httpGet.port) ?? {};
    expect(readinessProbe.httpGet.path).toBe('/ready');
    expect(args).toContain(`--status-port=${containerPort}`);
  });
});

describe('the metrics of the alerts and of the dashboard', () => {
  let known: readonly string[];
  beforeAll(async () => {
    const { text } = await (await createHostMetrics()).read({
      status: 'ok',
      events: { pending: 0, running: 0, dead: 0 },
      oldestPendingMs: null,
      slots: { total: 1, used: 0, holders: [] },
      scenarios: { active: 0, suspended: 0, inactive: 0 },
      stalled: [],
      off: [],
      problem: null,
    });
    const rest = read('src/rest/serve-rest.ts');
    known = [...`${text}\n${rest}`.matchAll(/# TYPE (iml_\w+)/g)].map(([, name = '']) => name);
  });

  it.each(['docs/operation.md', '.docker/grafana.json'])('exist: %s', (file) => {
    const names = [...read(file).matchAll(/\biml_(?!queue)\w+/g)].map(([name]) =>
      name.replace(/_bucket$/, ''),
    );
    expect(names.length).toBeGreaterThan(5);
    expect(known).toEqual(expect.arrayContaining(names));
  });
});
